// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Collectives by shared memory inside a host and MPI between hosts. Needs MPI alone; link tutti::mpi.

#include <tutti/mpi.hpp>
#include <tutti/transport/hybrid.hpp>
