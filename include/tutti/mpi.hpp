// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Collectives over MPI. Needs MPI alone; link tutti::mpi.

#include <tutti/engine/native_mpi.hpp>
#include <tutti/transport/mpi.hpp>
#include <tutti/tutti.hpp>
