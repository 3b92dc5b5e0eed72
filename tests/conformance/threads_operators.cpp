// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_operators.hpp"

TEST_CASE("threads: operators that commute") { conformance::elementwise_operators<conformance::threads>(); }
