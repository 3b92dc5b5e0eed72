// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_operators.hpp"

TEST_CASE("shm: operators with accumulators") { conformance::accumulating_operators<conformance::shm>(); }
