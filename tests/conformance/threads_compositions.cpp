// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_compositions.hpp"

TEST_CASE("threads: hierarchical and lanes") { conformance::levels<conformance::threads>(); }
TEST_CASE("threads: placements that can't work") { conformance::levels_refused<conformance::threads>(); }
