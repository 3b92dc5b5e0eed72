// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_sequences.hpp"

TEST_CASE("shm: random sequences without barriers") { conformance::random_sequences<conformance::shm>(); }
TEST_CASE("shm: alternating lengths") { conformance::alternating_lengths<conformance::shm>(); }
