// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proof is only worth what it refuses: each broken schedule is found, with its flaw, rank and round.
#include "broken_schedules.hpp"

#include <tutti/verify.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

namespace on = tutti::collective;
using tutti::flaw;

struct finding {
  flaw what;
  int rank, round, block;
  friend constexpr bool operator==(const finding&, const finding&) = default;
};

template <class Algorithm, class Collective>
constexpr finding look(int size, int root = 0) {
  const tutti::verdict found = tutti::check_schedule<Algorithm, Collective>(size, root);
  return {found.found, found.rank, found.round, found.block};
}

std::string told(const finding& found) {
  return "flaw " + std::to_string(int(found.what)) + ", rank " + std::to_string(found.rank) + ", round " +
         std::to_string(found.round) + ", block " + std::to_string(found.block);
}

/// Found at run time; while compiling the same code runs, which the last case shows.
template <class Algorithm, class Collective>
void expect(int size, int root, const finding& wanted) {
  CHECK(told(look<Algorithm, Collective>(size, root)) == told(wanted));
}

}  // namespace

TEST_CASE("what is right is found right") {
  expect<broken::right_ring, on::reduce_scatter>(4, 0, {flaw::none, -1, -1, -1});
}

TEST_CASE("transfers that don't meet") {
  using namespace broken;
  expect<ring_with<wrong_block>, on::reduce_scatter>(4, 0, {flaw::undefined_sent, 3, 1, 3});
  expect<ring_with<block_outside>, on::reduce_scatter>(4, 0, {flaw::no_such_block, 2, 1, 4});
  expect<ring_with<missing_receive>, on::reduce_scatter>(4, 0, {flaw::send_without_receive, 0, 2, 1});
  expect<ring_with<missing_send>, on::reduce_scatter>(4, 0, {flaw::receive_without_send, 2, 1, 3});
  expect<ring_with<no_such_peer>, on::reduce_scatter>(4, 0, {flaw::no_such_peer, 3, 0, 2});
  expect<ring_with<sends_to_itself>, on::reduce_scatter>(4, 0, {flaw::no_such_peer, 1, 0, 0});
  expect<ring_with<other_form>, on::reduce_scatter>(4, 0, {flaw::forms_disagree, 1, 1, 2});
  expect<algorithm_of<on::all_gather, gathers_wrong_blocks, 3>, on::all_gather>(4, 0, {flaw::blocks_disagree, 0, 0, 0});
}

TEST_CASE("values that aren't there, or twice") {
  using namespace broken;
  expect<ring_with<one_block_off>, on::reduce_scatter>(4, 0, {flaw::written_outside_result, 0, 2, 1});
  expect<ring_with<finished_too_early>, on::reduce_scatter>(4, 0, {flaw::finished_too_early, 0, 0, 2});
  expect<ring_with<folds_what_it_has_not>, on::reduce_scatter>(4, 0, {flaw::undefined_folded, 1, 0, 3});
  expect<algorithm_of<on::reduce, sent_before_having, 1>, on::reduce>(3, 0, {flaw::undefined_sent, 2, 0, 0});
  expect<algorithm_of<on::reduce, folded_twice, 2>, on::reduce>(3, 0, {flaw::counted_twice, 0, 1, 0});
}

TEST_CASE("results that are missing, differ or lie elsewhere") {
  using namespace broken;
  expect<algorithm_of<on::broadcast, forgets_the_last, 1>, on::broadcast>(4, 0, {flaw::result_missing, 3, 1, 0});
  expect<algorithm_of<on::broadcast, forgets_the_last, 1>, on::broadcast>(5, 2, {flaw::result_missing, 1, 1, 0});
  expect<algorithm_of<on::all_reduce, own_brackets, 1>, on::all_reduce>(3, 0, {flaw::results_differ, 1, 1, 0});
  expect<algorithm_of<on::reduce, result_elsewhere, 1>, on::reduce>(3, 2, {flaw::written_outside_result, 0, 0, 0});
}

TEST_CASE("memory that is still needed") {
  using namespace broken;
  expect<algorithm_of<on::all_reduce, overwrites_what_it_sends, 1>, on::all_reduce>(
      3, 0, {flaw::overwritten_while_sent, 0, 0, 0});
  // Out of place there is room; in place the own input of root 1 is gone when its turn comes.
  expect<algorithm_of<on::reduce, needs_scratch_without_saying, 1>, on::reduce>(3, 1,
                                                                                {flaw::undefined_folded, 1, 0, 0});
}

TEST_CASE("mailboxes that could fill in a circle") {
  using namespace broken;
  expect<algorithm_of<on::all_gather, everyone_sends_all, 3>, on::all_gather>(3, 0, {flaw::crowded_round, 0, 2, 1});
}

TEST_CASE("claims that don't hold") {
  using namespace broken;
  expect<ring_that_claims_order, on::reduce_scatter>(4, 0, {flaw::out_of_rank_order, -1, -1, -1});
  expect<ring_that_claims_fewer_rounds, on::reduce_scatter>(4, 0, {flaw::rounds_differ_from_cost, -1, -1, -1});
  expect<ring_that_claims_fewer_blocks, on::reduce_scatter>(4, 0, {flaw::volume_differs_from_cost, -1, -1, -1});
}

// The same while compiling.
static_assert(look<broken::ring_with<broken::missing_send>, on::reduce_scatter>(4) ==
              finding{flaw::receive_without_send, 2, 1, 3});
static_assert(look<broken::ring_that_claims_order, on::reduce_scatter>(3).what == flaw::out_of_rank_order);
