// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_types.hpp"

TEST_CASE("mpi: element types that are structs") { conformance::struct_types<conformance::mpi>(); }
