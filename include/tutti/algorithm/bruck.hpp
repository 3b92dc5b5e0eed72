// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, any p
//   all_gather   ceil(log2 p) rounds, each rank sends exactly n(p-1)/p
//   all_to_all   ceil(log2 p) rounds, about half of n in each; equal parts only
// Scratch: all_to_all one vector, all_gather none; blocks travel at their place, so that nothing is rotated in the end.
// Best for short vectors between hosts. Paper: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient
// algorithms for all-to-all communications in multiport message-passing systems", IEEE Trans. Parallel Distrib. Syst. 8
// (1997).

#include <tutti/algorithm/circulant.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// In round k a rank has the 2^k blocks from its own on, and gives to the rank 2^k below what that one lacks.
struct bruck_all_gather {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 4; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int had = 1 << round;
    const circulant_run lacked{0, had < here.size - had ? had : here.size - had};
    const int to = here.wrap(here.rank - had), from = here.wrap(here.rank + had);
    if (index < 2) return send(to, lacked.part(here, here.rank, index), form::final);
    return store(from, lacked.part(here, from, index % 2), form::final);
  }
};

/// Block b of a rank has b ranks to go. In round k all blocks with bit k in b move on by 2^k, together; a block leaves
/// its sender as input, lies in scratch on its way and becomes a result with its highest bit.
struct bruck_exchange {
  static constexpr bool scratch = true;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    return 4 * runs(here.size, round) + (round == 0 ? 1 : 0);
  }
  /// A run of neighbouring blocks: the first has no lower bit and moves for the first time, the others don't.
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int distance = 1 << round, count = runs(here.size, round);
    if (index == 4 * count) return store(here.rank, {0}, form::input).finishing();
    const int run = index / 2 % count, first = (2 * run + 1) * distance;
    const int end = first + distance < here.size ? first + distance : here.size;
    const block_range some = index % 2 == 0 ? block_range{first} : block_range{first + 1, end - first - 1};
    const form travels = index % 2 == 0 ? form::input : form::partial;
    if (index < 2 * count) return send(here.wrap(here.rank + distance), some, travels);
    return store(here.wrap(here.rank - distance), some, travels).finishing_if(run == 0).once_sent();
  }

 private:
  TUTTI_FUN static constexpr int runs(int size, int round) {
    const int distance = 1 << round;
    return (size - distance + 2 * distance - 1) / (2 * distance);
  }
};

/// How many blocks a rank passes on: each as often as its number has bits.
constexpr int bruck_volume(int size) {
  int sum = 0;
  for (int block = 1; block < size; ++block)
    for (int bits = block; bits != 0; bits &= bits - 1) ++sum;
  return sum;
}

}  // namespace detail

/// What every rank has doubles in each round, for any number of ranks.
struct bruck {
  static constexpr const char* name = "bruck";
  static constexpr bool rank_order = true;

  static constexpr auto schedule(collective::all_gather) { return detail::bruck_all_gather{}; }

  static constexpr auto schedule(collective::all_to_all) { return detail::bruck_exchange{}; }
  /// Ranks on the way don't know how long other ranks' parts are.
  static constexpr auto schedule(collective::all_to_all_v) = delete;

  static constexpr cost costs(collective::all_to_all, int size, int) {
    return {log2_ceil(size), detail::bruck_volume(size)};
  }
  static constexpr cost costs(collective::all_gather, int size, int) { return {log2_ceil(size), size - 1}; }
};

}  // namespace tutti
