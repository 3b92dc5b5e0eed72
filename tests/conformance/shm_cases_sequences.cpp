// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_cases_mixed.hpp"
using conformance::shm;

TEST_CASE("shm: case 20, ten thousand mixed calls (sglang PR#13397)") { conformance::ten_thousand_mixed_calls<shm>(); }
TEST_CASE("shm: case 21, alternating lengths (vllm PR#25892)") { conformance::a_thousand_alternating_lengths<shm>(); }
