// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// What crosses a link in one piece: 16 bytes that are written and read whole. The last word tells whether they are
/// there, so that data need no flag and no barrier: see engine/device/push.hpp.
struct alignas(16) pack {
  std::uint32_t word[4];
};

/// In the last word: nothing has arrived yet. A NaN as a float, as two halves and as the upper half of a double.
inline constexpr std::uint32_t empty_word = 0xFFFAFFFAu;
/// What stands for a NaN of that very pattern in the data.
inline constexpr std::uint32_t other_nan_word = 0xFFFBFFFBu;

/// So many ranks may push to each other.
inline constexpr int most_peers = 8;

/// What went wrong in a kernel, in memory of the host: the first to notice writes it, state last.
struct push_report {
  enum : std::uint32_t { nothing = 0, silent_peer = 1, other_call = 2, other_length = 3 };
  std::uint32_t state = nothing;
  std::uint32_t peer = 0;
  std::uint32_t collective = 0;  // number of the call's, see push_call
  std::uint32_t operation = 0;   // of its channel
  std::uint64_t bytes = 0, peers_bytes = 0;
};
/// What the host tells its kernels.
struct push_orders {
  std::uint32_t stop = 0;
};

/// What a rank keeps from call to call, on the device: calls that stand in a graph count like others.
struct alignas(16) push_control {
  std::uint32_t epoch = 1;   // of the next call
  std::uint32_t stop = 0;    // something went wrong: no call works any more
  std::uint32_t ticket = 0;  // blocks that have finished it
};

/// Where all ranks' packs lie. A rank's region holds a receipt from every rank and, for each of three turns, a greeting
/// from every rank and two parts of one row a rank: part 0 for what goes to who folds or keeps it, part 1 for what
/// comes back.
struct push_region {
  int rank = 0, ranks = 1;
  int blocks = 128;     // of a kernel, at most: see push_kernel.hpp
  std::size_t row = 0;  // packs
  pack* of[most_peers] = {};
  push_control* control = nullptr;
  push_report* report = nullptr;
  const push_orders* orders = nullptr;

  static constexpr std::uint32_t turns = 3;
  static constexpr std::size_t packs(int ranks, std::size_t row) {
    return std::size_t(ranks) * (1 + turns + 2 * turns * row);
  }
  TUTTI_FUN std::uint32_t* receipt(int owner, int from) const { return of[owner][from].word; }
  TUTTI_FUN pack* greeting(int owner, std::uint32_t turn, int from) const {
    return of[owner] + (1 + turn) * std::uint32_t(ranks) + std::uint32_t(from);
  }
  TUTTI_FUN pack* slots(int owner, std::uint32_t turn, int part, int from) const {
    const std::size_t before = (turn * 2 + std::size_t(part)) * std::size_t(ranks) + std::size_t(from);
    return of[owner] + (1 + turns) * std::size_t(ranks) + before * row;
  }
};

}  // namespace tutti::detail
