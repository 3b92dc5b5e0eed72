// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_floats.hpp"

TEST_CASE("shm: the same bits everywhere") { conformance::float_bits<conformance::shm>(); }
TEST_CASE("shm: NaN and signed zeros") { conformance::float_extremes<conformance::shm>(); }
