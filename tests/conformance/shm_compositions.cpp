// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_compositions.hpp"

TEST_CASE("shm: hierarchical and lanes") { conformance::levels<conformance::shm>(); }
TEST_CASE("shm: placements that can't work") { conformance::levels_refused<conformance::shm>(); }
