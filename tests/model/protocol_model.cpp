// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of transport/protocol.hpp under every interleaving of a few ranks and operations, the very code
// that runs in earnest. Each rule is also broken once, to see that the explorer would notice.
#include "explore.hpp"

#include <tutti/transport/protocol.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace {

using model::explore;
using model::sequential_memory;
using tutti::detail::flag;

enum kind : std::uint64_t { symmetric, broadcast, gather };  // who reads whom: all all, all rank 0, rank 0 all

/// Ranks run a fixed list of operations. Real_slots are there; the protocol believes in Slots.
template <int Ranks, flag Slots, flag Real_slots, kind... Operations>
struct operations_state {
  static constexpr std::uint64_t count = sizeof...(Operations);
  static constexpr kind list[] = {Operations...};

  struct slot {
    flag sequence = 0, content = 0;
  };
  struct rank_state {
    std::uint64_t operation = 1, stage = 0, peer = 0;
    tutti::detail::operation_view<sequential_memory, Slots> views[Ranks];
  };
  slot slots[Ranks][Real_slots];
  rank_state ranks[Ranks];

  bool done(int rank) const { return ranks[rank].operation > count; }

  static bool reads(kind what, int rank, int peer) {
    return rank != peer && (what == symmetric || (what == broadcast && peer == 0) || (what == gather && rank == 0));
  }

  bool step(int rank) {
    rank_state& me = ranks[rank];
    const auto sequence_of = [&](int peer) {
      return [this, peer](flag i) -> const flag& { return slots[peer][i % Real_slots].sequence; };
    };
    const int peer = int(me.peer);
    slot& mine = slots[rank][me.operation % Real_slots];
    switch (me.stage) {
      case 0:  // wait until all peers are near enough
        if (peer == Ranks) return next_stage(me);
        if (peer == rank || me.views[peer].may_begin(me.operation, sequence_of(peer))) ++me.peer;
        return true;
      case 1:
        mine.content = me.operation;
        return next_stage(me);
      case 2:
        sequential_memory::publish_ordered(mine.sequence, me.operation);
        return next_stage(me);
      case 3:  // read the peers that this operation reads
        if (peer == Ranks) return next_operation(me);
        if (!reads(list[me.operation - 1], rank, peer)) {
          ++me.peer;
          return true;
        }
        if (me.views[peer].joined(me.operation, sequence_of(peer))) me.stage = 4;
        return true;
      default:
        me.stage = 3;
        ++me.peer;
        return slots[peer][me.operation % Real_slots].content == me.operation;
    }
  }
  static bool next_stage(rank_state& me) {
    ++me.stage;
    me.peer = 0;
    return true;
  }
  static bool next_operation(rank_state& me) {
    ++me.operation;
    me.stage = me.peer = 0;
    return true;
  }
};

/// One mailbox: the writer sends numbers, the reader expects them in order.
template <flag Letters, flag Real_letters, flag Count>
struct mailbox_state {
  flag sent = 0, taken = 0, written = 0, read = 0, writing = 0, reading = 0;
  flag letters[Real_letters] = {};
  tutti::detail::mailbox_writer<sequential_memory, Letters> writer;
  tutti::detail::mailbox_reader<sequential_memory> reader;

  bool done(int rank) const { return rank == 0 ? written == Count : read == Count; }
  bool step(int rank) {
    if (rank == 0) {
      if (writing == 0) {
        if (writer.has_room(taken)) writing = 1;
      } else if (writing == 1) {
        letters[writer.next() % Real_letters] = written + 1;
        writing = 2;
      } else {
        writer.publish(sent);
        ++written;
        writing = 0;
      }
      return true;
    }
    if (reading == 0) {
      if (reader.has_letter(sent)) reading = 1;
      return true;
    }
    if (reading == 1) {
      reading = 2;
      return letters[reader.next() % Real_letters] == read + 1;
    }
    reader.release(taken);
    ++read;
    reading = 0;
    return true;
  }
};

template <class State>
void expect_sound(int ranks) {
  const auto found = explore(State{}, ranks);
  CHECK_FALSE(found.corrupt);
  CHECK_FALSE(found.deadlock);
  CHECK(found.states > 100);
}

}  // namespace

TEST_CASE("slots are never overwritten while somebody may read them") {
  expect_sound<operations_state<2, 2, 2, symmetric, broadcast, gather, broadcast, broadcast, gather>>(2);
  expect_sound<operations_state<3, 2, 2, broadcast, broadcast, broadcast, broadcast>>(3);
  expect_sound<operations_state<3, 2, 2, gather, broadcast, gather, broadcast>>(3);
  expect_sound<operations_state<3, 2, 2, symmetric, broadcast, symmetric, gather>>(3);
  expect_sound<operations_state<3, 3, 3, broadcast, gather, broadcast, broadcast, broadcast>>(3);
}

TEST_CASE("with a slot too few a repeated broadcast is corrupted, and one slot is a deadlock") {
  CHECK(explore(operations_state<3, 3, 2, broadcast, broadcast, broadcast, broadcast>{}, 3).corrupt);
  CHECK(explore(operations_state<2, 1, 1, symmetric, symmetric>{}, 2).deadlock);
}

TEST_CASE("letters arrive once and in order") {
  expect_sound<mailbox_state<1, 1, 20>>(2);
  expect_sound<mailbox_state<2, 2, 12>>(2);
  expect_sound<mailbox_state<4, 4, 12>>(2);
  CHECK(explore(mailbox_state<3, 2, 8>{}, 2).corrupt);
}
