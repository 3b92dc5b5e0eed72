// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_cases_folds.hpp"
#include "cover_cases_moves.hpp"
using conformance::shm;

TEST_CASE("shm: case 3, arguments that only the root needs (ompi#12383)") {
  conformance::root_only_arguments<shm>();
  conformance::root_only_arguments_on_nodes<shm>();
}
TEST_CASE("shm: case 5, parts of nothing in all_to_all_v (ompi PR#12269)") { conformance::sparse_exchanges<shm>(); }
TEST_CASE("shm: cases 12 and 13, no elements and no memory (gloo#179)") { conformance::nothing_at_all<shm>(); }
TEST_CASE("shm: case 15, places with holes (ompi PR#2805)") { conformance::places_with_holes<shm>(); }
TEST_CASE("shm: case 19, several outputs (gloo#152)") { conformance::several_outputs<shm>(); }
TEST_CASE("shm: plans read their memory anew, operators keep their state (mpich#7078)") {
  conformance::plans_and_state<shm>();
}

#if !TUTTI_REDUCED  // sanitizers see the same code in the threads
TEST_CASE("shm: case 6, scans in place (ompi#9385)") { conformance::scans_in_place<shm>(); }
TEST_CASE("shm: case 6, overlaps are refused (ompi#9385)") { conformance::more_overlaps<shm>(); }
TEST_CASE("shm: case 7, words in rank order (ompi#1754)") { conformance::words_in_rank_order<shm>(); }
TEST_CASE("shm: case 10, elements larger than a chunk (ompi#1764)") { conformance::wide_elements<shm>(); }
TEST_CASE("shm: case 30, a bit of each rank (pytorch#41362)") { conformance::own_bits<shm>(); }
#endif
