// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_roots.hpp"

TEST_CASE("mpi: every root") { conformance::all_roots<conformance::mpi>(); }
