// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <concepts>
#include <cstdint>

namespace tutti {

/// Where a rank stands in a collective.
struct place {
  int rank = 0;
  int size = 1;
  int root = 0;

  TUTTI_FUN constexpr int next() const { return rank + 1 == size ? 0 : rank + 1; }
  TUTTI_FUN constexpr int previous() const { return rank == 0 ? size - 1 : rank - 1; }
  /// index modulo size, also for negative ones.
  TUTTI_FUN constexpr int wrap(int index) const {
    const int rest = index % size;
    return rest < 0 ? rest + size : rest;
  }
};

/// Neighbouring blocks [first, first + count). A transfer of no blocks is no transfer.
struct block_range {
  int first = 0;
  int count = 1;
  TUTTI_FUN constexpr int end() const { return first + count; }
};

/// What a block is, and with it where it lies and what travels:
///   input     a rank's own elements, not yet lifted: they lie in the caller's input
///   partial   accumulators of some ranks
///   final     elements of the result: they lie in the caller's output
enum class form : std::uint8_t { input, partial, final };

enum class action : std::uint8_t {
  send,
  store,       // the arrival becomes what this rank holds
  fold_left,   // combine(arrival, held): the arrival holds lower ranks
  fold_right,  // combine(held, arrival)
};

/// One transfer as one rank sees it. With peer == own rank it is a local step: nothing travels, the
/// arrival is what the rank itself holds as `travels`.
struct transfer {
  int peer = 0;
  block_range where{};
  action what = action::send;
  form travels = form::final;    // sent or arriving
  form held = form::input;       // a fold: what this rank has so far
  form becomes = form::partial;  // a store or fold: what it has afterwards; final lowers
  bool after_sends = false;      // waits until this round's sends have left their memory

  /// The last fold: the accumulators are lowered to elements of the result.
  TUTTI_FUN constexpr transfer finishing() const {
    transfer copy = *this;
    copy.becomes = form::final;
    return copy;
  }
  TUTTI_FUN constexpr transfer finishing_if(bool last) const { return last ? finishing() : *this; }
  /// For an arrival that overwrites what the same round sends.
  TUTTI_FUN constexpr transfer once_sent() const {
    transfer copy = *this;
    copy.after_sends = true;
    return copy;
  }
};

TUTTI_FUN constexpr transfer send(int peer, block_range where, form travels) {
  return {peer, where, action::send, travels, form::input, form::partial, false};
}
/// A final block stays final; input is lifted and becomes partial.
TUTTI_FUN constexpr transfer store(int peer, block_range where, form travels) {
  return {peer, where, action::store, travels, form::input, travels == form::final ? form::final : form::partial,
          false};
}
TUTTI_FUN constexpr transfer fold_left(int peer, block_range where, form travels, form held) {
  return {peer, where, action::fold_left, travels, held, form::partial, false};
}
TUTTI_FUN constexpr transfer fold_right(int peer, block_range where, form travels, form held) {
  return {peer, where, action::fold_right, travels, held, form::partial, false};
}
TUTTI_FUN constexpr transfer nothing() {
  return {0, {0, 0}, action::store, form::final, form::input, form::final, false};
}

/// A schedule is the whole of an algorithm that does not depend on data, transport or operator. Each
/// function is pure and cheap; rounds are global: what leaves in round k arrives in round k.
///   blocks(size)             into how many blocks the vector is cut
///   rounds(size, root)       how many rounds there are, the same on all ranks
///   transfers(place, round)  how many transfers the rank has in that round
///   at(place, round, index)  the transfer; arrivals are folded in the order of their index
///   scratch                  true where partial blocks may not lie in the output: some rank still needs
///                            its own input when the first of them arrives
/// A world of one rank runs no schedule.
template <class Type>
concept schedule = requires(place here) {
  { Type::blocks(2) } -> std::same_as<int>;
  { Type::rounds(2, 0) } -> std::same_as<int>;
  { Type::transfers(here, 0) } -> std::same_as<int>;
  { Type::at(here, 0, 0) } -> std::same_as<transfer>;
  { Type::scratch } -> std::convertible_to<bool>;
};

/// What an algorithm documents: rounds, and the blocks that the busiest rank sends.
struct cost {
  int rounds = 0;
  long long sent_blocks = 0;  // among many ranks more than an int holds
  friend constexpr bool operator==(const cost&, const cost&) = default;
};

/// ceil(log2(n)), 0 for n <= 1.
TUTTI_FUN constexpr int log2_ceil(int n) {
  int bits = 0;
  while ((1 << bits) < n) ++bits;
  return bits;
}

}  // namespace tutti
