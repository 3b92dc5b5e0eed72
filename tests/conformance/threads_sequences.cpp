// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_sequences.hpp"

TEST_CASE("threads: random sequences without barriers") { conformance::random_sequences<conformance::threads>(); }
TEST_CASE("threads: alternating lengths") { conformance::alternating_lengths<conformance::threads>(); }
