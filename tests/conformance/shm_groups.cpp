// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_groups.hpp"

TEST_CASE("shm: splits") { conformance::splits<conformance::shm>(); }
TEST_CASE("shm: groups come and go") { conformance::groups_come_and_go<conformance::shm>(); }
#if !TUTTI_REDUCED  // sanitizers have seen the rest with threads
TEST_CASE("shm: subgroups") { conformance::subgroups<conformance::shm>(); }
TEST_CASE("shm: duplicates in threads") { conformance::duplicates_in_threads<conformance::shm>(); }
TEST_CASE("shm: node, leaders and lanes") { conformance::near_and_far<conformance::shm>(); }
#endif
