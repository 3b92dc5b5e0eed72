// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_operators.hpp"

TEST_CASE("mpi: operators with accumulators") { conformance::accumulating_operators<conformance::mpi>(); }
