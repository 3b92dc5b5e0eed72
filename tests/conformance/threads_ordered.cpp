// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_operators.hpp"

TEST_CASE("threads: operators in rank order") { conformance::ordered_operators<conformance::threads>(); }
