// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_roots.hpp"

TEST_CASE("shm: every root") { conformance::all_roots<conformance::shm>(); }
