// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_cases_mixed.hpp"
using conformance::mpi;

TEST_CASE("mpi: case 20, ten thousand mixed calls (sglang PR#13397)") { conformance::ten_thousand_mixed_calls<mpi>(); }
TEST_CASE("mpi: case 21, alternating lengths (vllm PR#25892)") { conformance::a_thousand_alternating_lengths<mpi>(); }
