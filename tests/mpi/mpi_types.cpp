// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_types.hpp"

TEST_CASE("mpi: arithmetic element types") { conformance::arithmetic_types<conformance::mpi>(); }
