// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_operators.hpp"

TEST_CASE("mpi: operators in rank order") { conformance::ordered_operators<conformance::mpi>(); }
