// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <cstdint>

namespace tutti::detail {

// The flags of the shared-memory protocol, each written by one side only and only ever growing. Memory is the
// policy that reads and writes them: hardware_memory in earnest, a checker's in the model tests. Each of these
// is one rank's view of one peer; nothing here waits. count_from(n) starts a view whose flags all read n.

using flag = std::uint64_t;

/// A count has come to another one. Counts that are compared are near each other, so this holds across the wrap, too.
TUTTI_FUN constexpr bool has_reached(flag count, flag goal) { return std::int64_t(count - goal) >= 0; }

/// One peer's operations, read from the slot lines that it writes in turn: slot i mod Slots for operation i.
/// Rules: a rank writes slot i only after may_begin held for all peers; then no slot is overwritten before
/// all peers have finished the operation that it announced.
template <class Memory, flag Slots>
class operation_view {
 public:
  /// The peer is near enough for this rank to begin the operation. slot_of(i) is the peer's sequence flag.
  TUTTI_ANY_CALLEE
  template <class Slot_of>
  TUTTI_FUN bool may_begin(flag operation, Slot_of&& slot_of) {
    const flag needed = operation - Slots + 1;  // of the first operations: one before all
    if (has_reached(begun_, needed)) return true;
    const flag there = Memory::observe_ordered(slot_of(needed));
    if (!has_reached(begun_, there)) begun_ = there;
    return has_reached(begun_, needed);
  }
  /// The peer has entered the operation that this rank is in: its slot holds that operation.
  TUTTI_ANY_CALLEE
  template <class Slot_of>
  TUTTI_FUN bool joined(flag operation, Slot_of&& slot_of) {
    if (has_joined(operation)) return true;
    if (!has_reached(Memory::observe_ordered(slot_of(operation)), operation)) return false;
    joined_ = operation;
    if (!has_reached(begun_, operation)) begun_ = operation;
    return true;
  }
  /// This rank has seen the peer there before.
  TUTTI_FUN bool has_joined(flag operation) const { return has_reached(joined_, operation); }
  TUTTI_FUN void count_from(flag start) { begun_ = joined_ = start; }

 private:
  flag begun_ = 0, joined_ = 0;
};

/// The sending side of a mailbox of Letters places: counts what it wrote, sees what was taken.
template <class Memory, flag Letters>
class mailbox_writer {
 public:
  TUTTI_ANY_CALLEE
  TUTTI_FUN bool has_room(const flag& taken) {
    if (sent_ - seen_taken_ < Letters) return true;
    seen_taken_ = Memory::observe_ordered(taken);
    return sent_ - seen_taken_ < Letters;
  }
  /// The place of the next letter.
  TUTTI_FUN flag next() const { return sent_; }
  /// The letter lies in its place.
  TUTTI_ANY_CALLEE
  TUTTI_FUN void publish(flag& sent) { Memory::publish(sent, ++sent_); }
  TUTTI_FUN void count_from(flag start) { sent_ = seen_taken_ = start; }

 private:
  flag sent_ = 0, seen_taken_ = 0;
};

/// The receiving side: takes letters in order.
template <class Memory>
class mailbox_reader {
 public:
  TUTTI_ANY_CALLEE
  TUTTI_FUN bool has_letter(const flag& sent) {
    if (seen_sent_ != taken_) return true;
    seen_sent_ = Memory::observe_ordered(sent);
    return seen_sent_ != taken_;
  }
  TUTTI_FUN flag next() const { return taken_; }
  /// The place may be written again.
  TUTTI_ANY_CALLEE
  TUTTI_FUN void release(flag& taken) { Memory::publish(taken, ++taken_); }
  TUTTI_FUN void count_from(flag start) { taken_ = seen_sent_ = start; }

 private:
  flag taken_ = 0, seen_sent_ = 0;
};

/// One peer's count of finished phases.
template <class Memory>
class phase_view {
 public:
  TUTTI_ANY_CALLEE
  TUTTI_FUN bool reached(flag phase, const flag& phases) {
    if (has_reached(seen_, phase)) return true;
    seen_ = Memory::observe_ordered(phases);
    return has_reached(seen_, phase);
  }
  TUTTI_FUN void count_from(flag start) { seen_ = start; }

 private:
  flag seen_ = 0;
};

}  // namespace tutti::detail
