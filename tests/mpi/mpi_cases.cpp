// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_cases_folds.hpp"
#include "conformance/cover_cases_moves.hpp"
using conformance::mpi;

TEST_CASE("mpi: case 3, arguments that only the root needs (ompi#12383)") {
  conformance::root_only_arguments<mpi>();
  conformance::root_only_arguments_on_nodes<mpi>();
}
TEST_CASE("mpi: case 5, parts of nothing in all_to_all_v (ompi PR#12269)") { conformance::sparse_exchanges<mpi>(); }
TEST_CASE("mpi: cases 12 and 13, no elements and no memory (gloo#179)") { conformance::nothing_at_all<mpi>(); }
TEST_CASE("mpi: case 15, places with holes (ompi PR#2805)") { conformance::places_with_holes<mpi>(); }
TEST_CASE("mpi: case 19, several outputs (gloo#152)") { conformance::several_outputs<mpi>(); }
TEST_CASE("mpi: plans read their memory anew, operators keep their state (mpich#7078)") {
  conformance::plans_and_state<mpi>();
}

TEST_CASE("mpi: case 6, scans in place (ompi#9385)") { conformance::scans_in_place<mpi>(); }
TEST_CASE("mpi: case 6, overlaps are refused (ompi#9385)") { conformance::more_overlaps<mpi>(); }
TEST_CASE("mpi: case 7, words in rank order (ompi#1754)") { conformance::words_in_rank_order<mpi>(); }
TEST_CASE("mpi: case 10, elements larger than a chunk (ompi#1764)") { conformance::wide_elements<mpi>(); }
TEST_CASE("mpi: case 30, a bit of each rank (pytorch#41362)") { conformance::own_bits<mpi>(); }
