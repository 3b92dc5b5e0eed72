// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_groups.hpp"

TEST_CASE("threads: splits and subgroups") { conformance::splits<conformance::threads>(); }
TEST_CASE("threads: nodes, leaders and lanes") { conformance::nodes<conformance::threads>(); }
TEST_CASE("threads: several threads of a rank") { conformance::several_threads<conformance::threads>(); }
TEST_CASE("threads: memory of groups comes back") { conformance::memory_of_groups<conformance::threads>(); }
