// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Collectives of device memory, over NVLink and NCCL. Needs CUDA and NCCL; link tutti::nccl and compile with nvcc.

#include <tutti/engine/device/stream_engine.hpp>
#include <tutti/transport/nccl.hpp>
#include <tutti/tutti.hpp>
