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

/// Flags of half the width: what crosses 2^32 must notice.
struct narrow_memory : sequential_memory {
  static std::uint64_t observe_ordered(const std::uint64_t& from) { return std::uint32_t(from); }
};

/// Ranks run a fixed list of operations. Real_slots are there; the protocol believes in Slots.
template <class Memory, int Ranks, flag Slots, flag Real_slots, kind... Operations>
struct operations_by {
  static constexpr std::uint64_t count = sizeof...(Operations);
  static constexpr kind list[] = {Operations...};

  struct slot {
    flag sequence = 0, content = 0;
  };
  struct rank_state {
    std::uint64_t operation = 1, stage = 0, peer = 0;
    tutti::detail::operation_view<Memory, Slots> views[Ranks];
  };
  slot slots[Ranks][Real_slots];
  rank_state ranks[Ranks];
  flag before = 0;

  /// After so many operations.
  static operations_by from(flag start) {
    operations_by made;
    made.before = start;
    for (auto& of_rank : made.slots)
      for (slot& one : of_rank) one.sequence = start;
    for (rank_state& rank : made.ranks)
      for (auto& view : rank.views) view.count_from(start);
    return made;
  }

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
    const flag operation = before + me.operation;
    slot& mine = slots[rank][operation % Real_slots];
    switch (me.stage) {
      case 0:  // wait until all peers are near enough
        if (peer == Ranks) return next_stage(me);
        if (peer == rank || me.views[peer].may_begin(operation, sequence_of(peer))) ++me.peer;
        return true;
      case 1:
        mine.content = operation;
        return next_stage(me);
      case 2:
        Memory::publish(mine.sequence, operation);
        return next_stage(me);
      case 3:  // read the peers that this operation reads
        if (peer == Ranks) return next_operation(me);
        if (!reads(list[me.operation - 1], rank, peer)) {
          ++me.peer;
          return true;
        }
        if (me.views[peer].joined(operation, sequence_of(peer))) me.stage = 4;
        return true;
      default:
        me.stage = 3;
        ++me.peer;
        return slots[peer][operation % Real_slots].content == operation;
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

template <int Ranks, flag Slots, flag Real_slots, kind... Operations>
using operations_state = operations_by<sequential_memory, Ranks, Slots, Real_slots, Operations...>;

/// One mailbox: the writer sends numbers, the reader expects them in order.
template <class Memory, flag Letters, flag Real_letters, flag Count>
struct mailbox_by {
  flag sent = 0, taken = 0, written = 0, read = 0, writing = 0, reading = 0;
  flag letters[Real_letters] = {};
  tutti::detail::mailbox_writer<Memory, Letters> writer;
  tutti::detail::mailbox_reader<Memory> reader;

  /// After so many letters.
  static mailbox_by from(flag start) {
    mailbox_by made;
    made.sent = made.taken = start;
    made.writer.count_from(start);
    made.reader.count_from(start);
    return made;
  }

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

template <flag Letters, flag Real_letters, flag Count>
using mailbox_state = mailbox_by<sequential_memory, Letters, Real_letters, Count>;

/// Two ranks write in turn, each only after it has seen the other's last phase, as chunks of a collective do.
template <class Memory>
struct phases_by {
  flag finished[2] = {}, done_so_far[2] = {}, content[2] = {}, stage[2] = {}, before = 0;
  tutti::detail::phase_view<Memory> views[2];
  static constexpr flag count = 8;

  static phases_by from(flag start) {
    phases_by made;
    made.before = start;
    for (int rank = 0; rank < 2; ++rank) {
      made.finished[rank] = start;
      made.views[rank].count_from(start);
    }
    return made;
  }
  bool done(int rank) const { return done_so_far[rank] == count; }
  bool step(int rank) {
    const flag phase = before + done_so_far[rank] + 1;
    switch (stage[rank]) {
      case 0:
        content[rank] = phase;
        break;
      case 1:
        Memory::publish(finished[rank], phase);
        break;
      case 2:
        if (!views[rank].reached(phase, finished[1 - rank])) return true;
        break;
      default:
        ++done_so_far[rank];
        stage[rank] = 0;
        return content[1 - rank] == phase || content[1 - rank] == phase + 1;
    }
    ++stage[rank];
    return true;
  }
};
using phases_state = phases_by<sequential_memory>;

/// Collectives of one chunk or two over Stages stages a rank, as shared_executor runs them: the first chunk lies in its
/// stage before the operation is announced, and that announcement is its phase; the second has a phase of its own.
template <int Ranks, flag Stages, int... Chunks>
struct turns_by {
  static constexpr std::uint64_t count = sizeof...(Chunks);
  static constexpr int list[] = {Chunks...};
  struct shared_part {
    flag sequence[4] = {}, phases = 0, stage[Stages] = {};
  };
  struct rank_state {
    std::uint64_t operation = 1, turn = 0, phase = 0, chunk = 0, stage = 0, peer = 0;
    tutti::detail::operation_view<sequential_memory, 4> operations[Ranks];
    tutti::detail::phase_view<sequential_memory> phases[Ranks];
  };
  shared_part parts[Ranks];
  rank_state ranks[Ranks];

  bool done(int rank) const { return ranks[rank].operation > count; }
  bool step(int rank) {
    rank_state& me = ranks[rank];
    shared_part& mine = parts[rank];
    const auto sequence_of = [&](int peer) {
      return [this, peer](flag i) -> const flag& { return parts[peer].sequence[i % 4]; };
    };
    const int peer = int(me.peer);
    switch (me.stage) {
      case 0:  // may it begin?
        if (peer == Ranks) return to(me, 1);
        if (peer == rank || me.operations[peer].may_begin(me.operation, sequence_of(peer))) ++me.peer;
        return true;
      case 1:
        mine.stage[me.turn % Stages] = me.turn + 1;
        return to(me, 2);
      case 2:
        if (me.chunk == 0)
          sequential_memory::publish(mine.sequence[me.operation % 4], me.operation);
        else
          sequential_memory::publish(mine.phases, ++me.phase);
        return to(me, 3);
      case 3: {  // are all there?
        if (peer == Ranks) return to(me, 4);
        const bool there = me.chunk == 0 ? me.operations[peer].joined(me.operation, sequence_of(peer))
                                         : me.phases[peer].reached(me.phase, parts[peer].phases);
        if (peer == rank || there) ++me.peer;
        return true;
      }
      default:
        if (peer < Ranks) {
          ++me.peer;
          return parts[peer].stage[me.turn % Stages] == me.turn + 1;
        }
        ++me.turn;
        ++me.chunk;
        if (int(me.chunk) < list[me.operation - 1]) return to(me, 1);
        ++me.operation;
        me.chunk = 0;
        return to(me, 0);
    }
  }
  static bool to(rank_state& me, std::uint64_t stage) {
    me.stage = stage;
    me.peer = 0;
    return true;
  }
};

/// One rank publishes and looks for sleepers, the other one waits as transport/sleeper.hpp does. What is published
/// stays with its writer's processor for a while: a third actor lets it go, at any time; but whoever dozes outlasts
/// that.
template <bool Dozes>
struct sleep_by {
  flag held_back = 0, published = 0, asleep = 0, rung = 0, heard = 0, writer = 0, waiter = 0;

  bool done(int actor) const { return actor == 0 ? writer == 2 : actor == 1 ? waiter == 9 : held_back == 0; }
  bool step(int actor) {
    if (actor == 2) {
      published = held_back;
      held_back = 0;
      return true;
    }
    if (actor == 0) {
      if (writer == 0) {
        held_back = 1;
      } else if (asleep != 0) {
        rung = 1;
      }
      ++writer;
      return true;
    }
    switch (waiter) {
      case 0:
        heard = rung;
        asleep = 1;
        break;
      case 1:
      case 3:  // look; the second time after a doze
        if (published != 0) waiter = 8;
        break;
      case 2:  // a doze ends at any time, but not before what was held back when it began has gone
        if (Dozes && held_back != 0 && writer == 2) return true;
        heard = rung;
        break;
      case 4:  // sleeps until it is woken
        if (rung == heard) return true;
        waiter = 0;  // and looks again
        heard = rung;
        break;
      default:
        break;
    }
    ++waiter;
    return true;
  }
};

template <class State>
void expect_sound(int ranks, const State& start = State{}) {
  const auto found = explore(start, ranks);
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

TEST_CASE("case 23: all counts may cross 2^32, 2^63 and 2^64") {
  for (const flag border : {flag(1) << 32, flag(1) << 63, flag(0)})
    for (const flag before : {flag(1), flag(3), flag(4)}) {
      const flag start = border - before;
      CAPTURE(start);
      using pair = operations_state<2, 2, 2, symmetric, broadcast, gather, broadcast, broadcast, gather>;
      expect_sound(2, pair::from(start));
      using four_slots = operations_state<3, 4, 4, broadcast, gather, broadcast, broadcast, symmetric>;
      expect_sound(3, four_slots::from(start));
      expect_sound(2, mailbox_state<4, 4, 12>::from(start));
      expect_sound(2, phases_state::from(start));
    }
}

TEST_CASE("case 23: flags of 32 bits get stuck there, which shows that those tests cross the border") {
  const flag start = (flag(1) << 32) - 3;
  using pair = operations_by<narrow_memory, 2, 2, 2, symmetric, broadcast, gather, symmetric, broadcast>;
  CHECK(explore(pair::from(start), 2).deadlock);
  using box = mailbox_by<narrow_memory, 4, 4, 12>;
  const auto letters = explore(box::from(start), 2);
  CHECK((letters.deadlock || letters.corrupt));
  CHECK(explore(phases_by<narrow_memory>::from(start), 2).deadlock);
}

TEST_CASE("the entry into a collective is its first chunk's phase, and two stages by turns are enough") {
  expect_sound<turns_by<2, 2, 1, 1, 2, 1, 2, 2, 1, 1>>(2);
  expect_sound<turns_by<3, 2, 1, 2, 1, 1>>(3);
  CHECK(explore(turns_by<2, 1, 1, 1, 1>{}, 2).corrupt);
  CHECK(explore(turns_by<2, 1, 2, 2>{}, 2).corrupt);
}

TEST_CASE("nobody sleeps through what was published, though stores are held back; without a doze somebody does") {
  const auto with = explore(sleep_by<true>{}, 3), without = explore(sleep_by<false>{}, 3);
  CHECK_FALSE(with.deadlock);
  CHECK(with.states > 20);
  CHECK(without.deadlock);
}
