// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_cases_moves.hpp"
using conformance::threads;

TEST_CASE("threads: case 3, arguments that only the root needs (ompi#12383)") {
  conformance::root_only_arguments<threads>();
  conformance::root_only_arguments_on_nodes<threads>();
}
TEST_CASE("threads: case 5, parts of nothing in all_to_all_v (ompi PR#12269)") {
  conformance::sparse_exchanges<threads>();
}
TEST_CASE("threads: case 12, no elements (gloo#179)") { conformance::nothing_at_all<threads>(); }
TEST_CASE("threads: case 15, places with holes (ompi PR#2805)") { conformance::places_with_holes<threads>(); }
TEST_CASE("threads: case 19, several outputs (gloo#152)") { conformance::several_outputs<threads>(); }
