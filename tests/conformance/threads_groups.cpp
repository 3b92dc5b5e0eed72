// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_groups.hpp"

TEST_CASE("threads: splits") { conformance::splits<conformance::threads>(); }
TEST_CASE("threads: subgroups") { conformance::subgroups<conformance::threads>(); }
TEST_CASE("threads: duplicates in threads") { conformance::duplicates_in_threads<conformance::threads>(); }
TEST_CASE("threads: node, leaders and lanes") { conformance::near_and_far<conformance::threads>(); }
TEST_CASE("threads: groups come and go") { conformance::groups_come_and_go<conformance::threads>(); }
