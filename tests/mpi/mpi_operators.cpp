// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_operators.hpp"

TEST_CASE("mpi: operators that commute") { conformance::elementwise_operators<conformance::mpi>(); }
