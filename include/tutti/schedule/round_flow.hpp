// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/schedule/expression.hpp>
#include <tutti/schedule/transfer.hpp>

#include <cstddef>

namespace tutti::detail {

/// One round with the least room that a transport may have: blocks travel one by one, and between a pair there is place
/// for one. Each rank walks its sends and its arrivals in their order, as the engine does; an arrival that overwrites
/// what is sent waits for the sends of its block. What a rank does never takes from another what it waits for, so if
/// this walk comes to its end, every other one does, and with more room too.
template <schedule Schedule>
class round_flow {
 public:
  constexpr round_flow(int size, int root, int round)
      : size_(size),
        root_(root),
        round_(round),
        sends_(std::size_t(size), walk{}),
        arrivals_(std::size_t(size), walk{}),
        full_(std::size_t(size) * std::size_t(size), false) {
    for (int rank = 0; rank < size; ++rank) {
      settle<true>(rank);
      settle<false>(rank);
    }
  }

  /// The first rank that can't go on, or -1.
  constexpr int run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < size_; ++rank)
        while (send_one(rank) || take_one(rank)) moved = true;
    }
    for (int rank = 0; rank < size_; ++rank)
      if (!at_end(sends_[std::size_t(rank)], rank) || !at_end(arrivals_[std::size_t(rank)], rank)) return rank;
    return -1;
  }
  /// The block that a rank which can't go on has not sent.
  constexpr int waits_to_send(int rank) const {
    const walk& at = sends_[std::size_t(rank)];
    return at_end(at, rank) ? -1 : Schedule::at(here(rank), round_, at.index).where.first + at.piece;
  }

 private:
  struct walk {
    int index = 0, piece = 0;
  };
  constexpr place here(int rank) const { return {rank, size_, root_}; }
  constexpr bool at_end(const walk& at, int rank) const { return at.index >= Schedule::transfers(here(rank), round_); }
  constexpr std::size_t pair(int from, int to) const {
    return std::size_t(from) * std::size_t(size_) + std::size_t(to);
  }

  template <bool Sends>
  constexpr void settle(int rank) {
    walk& at = (Sends ? sends_ : arrivals_)[std::size_t(rank)];
    for (at.piece = 0; !at_end(at, rank); ++at.index) {
      const transfer step = Schedule::at(here(rank), round_, at.index);
      if (step.where.count != 0 && (step.what == action::send) == Sends) return;
    }
  }
  template <bool Sends>
  constexpr void advance(int rank, const transfer& step) {
    walk& at = (Sends ? sends_ : arrivals_)[std::size_t(rank)];
    if (++at.piece < step.where.count) return;
    ++at.index;
    settle<Sends>(rank);
  }

  constexpr bool send_one(int rank) {
    const walk at = sends_[std::size_t(rank)];
    if (at_end(at, rank)) return false;
    const transfer step = Schedule::at(here(rank), round_, at.index);
    if (full_[pair(rank, step.peer)]) return false;
    full_[pair(rank, step.peer)] = true;
    advance<true>(rank, step);
    return true;
  }
  constexpr bool take_one(int rank) {
    const walk at = arrivals_[std::size_t(rank)];
    if (at_end(at, rank)) return false;
    const transfer step = Schedule::at(here(rank), round_, at.index);
    if (step.after_sends && !has_left(rank, step.where.first + at.piece)) return false;
    if (step.peer != rank) {
      if (!full_[pair(step.peer, rank)]) return false;
      full_[pair(step.peer, rank)] = false;
    }
    advance<false>(rank, step);
    return true;
  }
  constexpr bool has_left(int rank, int block) const {
    walk at = sends_[std::size_t(rank)];
    for (; !at_end(at, rank); ++at.index, at.piece = 0) {
      const transfer step = Schedule::at(here(rank), round_, at.index);
      if (step.what == action::send && block >= step.where.first + at.piece && block < step.where.end()) return false;
    }
    return true;
  }

  int size_, root_, round_;
  growing<walk> sends_, arrivals_;
  growing<bool> full_;
};

}  // namespace tutti::detail
