// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_groups.hpp"

TEST_CASE("shm: splits and subgroups") { conformance::splits<conformance::shm>(); }
TEST_CASE("shm: nodes, leaders and lanes") { conformance::nodes<conformance::shm>(); }
TEST_CASE("shm: several threads of a rank") { conformance::several_threads<conformance::shm>(); }
TEST_CASE("shm: memory of groups comes back") { conformance::memory_of_groups<conformance::shm>(); }
