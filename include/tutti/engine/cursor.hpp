// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/schedule/transfer.hpp>

#include <cstddef>

namespace tutti::detail {

/// A walk over all transfers of one kind, in the one order that all ranks share. Tick t holds chunk c in
/// round t - c, for all chunks under way: the next chunk starts while this one goes round.
template <schedule Schedule, bool Sends>
class cursor {
 public:
  cursor() = default;
  cursor(place here, int rounds, std::size_t chunks) : here_(here), rounds_(std::size_t(rounds)), chunks_(chunks) {
    settle();
  }

  void restart() {
    tick_ = chunk_ = 0;
    index_ = 0;
    settle();
  }
  bool at_end() const { return tick_ == rounds_ + chunks_ - 1; }
  const transfer& current() const { return current_; }
  std::size_t tick() const { return tick_; }
  std::size_t chunk() const { return chunk_; }
  std::size_t round() const { return tick_ - chunk_; }
  int piece() const { return piece_; }

  /// The next piece of this transfer, or the next transfer where there were `pieces`.
  void advance(int pieces) {
    if (++piece_ < pieces) return;
    ++index_;
    settle();
  }
  /// Everything of this chunk in this tick lies behind.
  bool passed(std::size_t tick, std::size_t chunk) const { return tick_ > tick || (tick_ == tick && chunk_ > chunk); }
  /// None of these blocks is among what is still to come of this chunk in this tick. `pieces` is how many the current
  /// transfer has.
  bool passed(std::size_t tick, std::size_t chunk, block_range some, int pieces) const {
    if (tick_ != tick || chunk_ != chunk) return passed(tick, chunk);
    const int behind = pieces == 1 ? 0 : piece_;
    if (overlap(some, {current_.where.first + behind, current_.where.count - behind})) return false;
    const int transfers = Schedule::transfers(here_, int(round()));
    for (int index = index_ + 1; index < transfers; ++index) {
      const transfer later = Schedule::at(here_, int(round()), index);
      if ((later.what == action::send) == Sends && overlap(some, later.where)) return false;
    }
    return true;
  }

 private:
  static bool overlap(block_range one, block_range other) { return one.first < other.end() && other.first < one.end(); }
  void settle() {
    piece_ = 0;
    for (;; index_ = 0) {
      for (; !at_end() && index_ < Schedule::transfers(here_, int(round())); ++index_) {
        current_ = Schedule::at(here_, int(round()), index_);
        if (current_.where.count != 0 && (current_.what == action::send) == Sends) return;
      }
      if (at_end()) return;
      const std::size_t last = tick_ < chunks_ ? tick_ : chunks_ - 1;
      if (chunk_ < last) {
        ++chunk_;
      } else {
        ++tick_;
        chunk_ = tick_ < rounds_ ? 0 : tick_ - rounds_ + 1;
      }
    }
  }

  place here_{};
  std::size_t rounds_ = 0, chunks_ = 1;
  std::size_t tick_ = 0, chunk_ = 0;
  int index_ = 0;
  int piece_ = 0;
  transfer current_{};
};

}  // namespace tutti::detail
