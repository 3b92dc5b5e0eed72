// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_compositions.hpp"

TEST_CASE("mpi: hierarchical and lanes") { conformance::levels<conformance::mpi>(); }
TEST_CASE("mpi: placements that can't work") { conformance::levels_refused<conformance::mpi>(); }
