// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_groups.hpp"

TEST_CASE("mpi: splits") { conformance::splits<conformance::mpi>(); }
TEST_CASE("mpi: groups come and go") { conformance::groups_come_and_go<conformance::mpi>(); }
TEST_CASE("mpi: subgroups") { conformance::subgroups<conformance::mpi>(); }
TEST_CASE("mpi: duplicates in threads") { conformance::duplicates_in_threads<conformance::mpi>(); }
TEST_CASE("mpi: node, leaders and lanes") { conformance::near_and_far<conformance::mpi>(); }
