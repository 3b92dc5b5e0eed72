// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_operators.hpp"

TEST_CASE("shm: operators in rank order") { conformance::ordered_operators<conformance::shm>(); }
