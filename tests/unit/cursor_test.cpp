// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over a schedule's transfers. Messages of a pair carry no number: that the sender's order is the
// receiver's is what makes them meet. So it is simulated here for every pair, chunks and pieces included.
#include <tutti/engine/cursor.hpp>
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace on = tutti::collective;

/// One message as each side sees it: round, chunk, block, form.
using seen = std::tuple<std::size_t, std::size_t, int, int>;
using pairs = std::vector<std::vector<seen>>;  // [from * size + to]

template <class Schedule, bool Sends>
void walk(int rank, int size, int root, std::size_t chunks, bool in_pieces, pairs& found) {
  tutti::detail::cursor<Schedule, Sends> cursor({rank, size, root}, Schedule::rounds(size, root), chunks);
  std::size_t last_tick = 0, last_chunk = 0;
  for (; !cursor.at_end();) {
    const tutti::transfer step = cursor.current();
    const bool forwards = cursor.tick() > last_tick || (cursor.tick() == last_tick && cursor.chunk() >= last_chunk);
    CHECK(forwards);
    CHECK(cursor.chunk() < chunks);
    CHECK(int(cursor.round()) < Schedule::rounds(size, root));
    last_tick = cursor.tick();
    last_chunk = cursor.chunk();
    const int pieces = in_pieces ? step.where.count : 1;
    if (step.peer != rank) {
      const int from = Sends ? rank : step.peer, to = Sends ? step.peer : rank;
      found[std::size_t(from * size + to)].push_back(
          {cursor.round(), cursor.chunk(), step.where.first + cursor.piece(), int(step.travels)});
    }
    cursor.advance(pieces);
  }
}

template <class Algorithm, class Collective>
void expect_same_order() {
  using schedule = decltype(Algorithm::schedule(Collective{}));
  for (int size = 2; size <= 9; ++size)
    for (int root = 0; root < (Collective::rooted ? size : 1); ++root)
      for (const std::size_t chunks : std::initializer_list<std::size_t>{1, 2, 3, 7})
        for (const bool in_pieces : {false, true}) {
          pairs sent(std::size_t(size * size)), taken(std::size_t(size * size));
          for (int rank = 0; rank < size; ++rank) {
            walk<schedule, true>(rank, size, root, chunks, in_pieces, sent);
            walk<schedule, false>(rank, size, root, chunks, in_pieces, taken);
          }
          CAPTURE(std::string(Algorithm::name));
          CAPTURE(std::string(Collective::name));
          CAPTURE(size);
          CAPTURE(root);
          CAPTURE(chunks);
          CHECK(sent == taken);
          std::size_t messages = 0;
          for (const auto& one : sent) messages += one.size();
          CHECK(messages > 0);
        }
}

template <class Algorithm>
void expect_same_order_everywhere() {
  expect_same_order<Algorithm, on::all_reduce>();
  expect_same_order<Algorithm, on::reduce>();
  expect_same_order<Algorithm, on::broadcast>();
  expect_same_order<Algorithm, on::reduce_scatter>();
  expect_same_order<Algorithm, on::all_gather>();
}

}  // namespace

TEST_CASE("sender and receiver walk in one order: ring") { expect_same_order_everywhere<tutti::ring>(); }
TEST_CASE("sender and receiver walk in one order: tree") { expect_same_order_everywhere<tutti::tree>(); }
TEST_CASE("sender and receiver walk in one order: aggregator") { expect_same_order_everywhere<tutti::aggregator>(); }
TEST_CASE("sender and receiver walk in one order: direct") { expect_same_order_everywhere<tutti::direct>(); }
TEST_CASE("sender and receiver walk in one order: one_phase") { expect_same_order_everywhere<tutti::one_phase>(); }

TEST_CASE("chunk c of round k comes before chunk c-1 of round k+1 is over") {
  using schedule = decltype(tutti::ring::schedule(on::broadcast{}));
  tutti::detail::cursor<schedule, true> sends({1, 3, 0}, 2, 3);  // rank 1 of 3 passes on in round 1: ticks 1, 2, 3
  for (std::size_t chunk = 0; chunk < 3; ++chunk) {
    REQUIRE(!sends.at_end());
    CHECK(sends.round() == 1);
    CHECK(sends.chunk() == chunk);
    CHECK(sends.tick() == chunk + 1);
    CHECK(!sends.passed(chunk + 1, chunk));
    if (chunk > 0) CHECK(sends.passed(chunk, chunk - 1));
    sends.advance(1);
  }
  CHECK(sends.at_end());
}
