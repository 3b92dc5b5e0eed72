// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_floats.hpp"

TEST_CASE("threads: the same bits everywhere") { conformance::float_bits<conformance::threads>(); }
TEST_CASE("threads: NaN and signed zeros") { conformance::float_extremes<conformance::threads>(); }
