// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, any p
//   reduce_scatter, all_gather   ceil(log2 p) rounds, each rank sends exactly n(p-1)/p
//   all_reduce                   twice that
// Scratch: reduce_scatter keeps its partial blocks. Needs a commutative operator. The best single schedule
// between hosts where p is no power of two.
// Paper: J. L. Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms", 2025.

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// The skips: p halved again and again, rounded up, down to 1. In round k a rank has first(k) blocks under way
/// and passes on those from first(k + 1).
TUTTI_FUN constexpr int circulant_blocks(int size, int round) {
  for (; round > 0; --round) size = (size + 1) / 2;
  return size;
}

/// A run of blocks of one form, counted from the own block on, may wrap round the end: two transfers.
struct circulant_run {
  int first, end;
  TUTTI_FUN constexpr block_range part(place here, int from_rank, int index) const {
    const int count = end > first ? end - first : 0;
    const int begin = here.wrap(from_rank + first);
    const int straight = count < here.size - begin ? count : here.size - begin;
    return index == 0 ? block_range{begin, straight} : block_range{0, count - straight};
  }
};

struct circulant_reduce_scatter {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 8; }
  /// Two sends and two arrivals of what has been folded before, as many of what is still input.
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int under_way = circulant_blocks(here.size, round), kept = circulant_blocks(here.size, round + 1);
    // The first round folds the blocks below p / 2; with p odd the one at p / 2 is still input later on.
    const int folded = round == 0                  ? kept
                       : here.size / 2 < kept      ? kept
                       : here.size / 2 < under_way ? here.size / 2
                                                   : under_way;
    const bool input = index >= 4;
    const circulant_run run = input ? circulant_run{folded, under_way} : circulant_run{kept, folded};
    const form travels = input ? form::input : form::partial;
    const int to = here.wrap(here.rank + kept), from = here.wrap(here.rank - kept);
    if (index % 4 < 2) return send(to, run.part(here, here.rank, index % 2), travels);
    return fold_left(from, run.part(here, from, index % 2), travels, round == 0 ? form::input : form::partial)
        .finishing_if(round == log2_ceil(here.size) - 1);
  }
};

struct circulant_all_gather {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 4; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int back = log2_ceil(here.size) - 1 - round;
    const int had = circulant_blocks(here.size, back + 1), have = circulant_blocks(here.size, back);
    const int to = here.wrap(here.rank - had), from = here.wrap(here.rank + had);
    if (index < 2) return send(to, circulant_run{0, have - had}.part(here, here.rank, index), form::final);
    return store(from, circulant_run{0, have - had}.part(here, from, index % 2), form::final);
  }
};

}  // namespace detail

/// Logarithmic rounds and the least possible volume, for any number of ranks.
struct circulant {
  static constexpr const char* name = "circulant";
  static constexpr bool rank_order = false;

  static constexpr auto schedule(collective::reduce_scatter) { return detail::circulant_reduce_scatter{}; }
  static constexpr auto schedule(collective::all_gather) { return detail::circulant_all_gather{}; }
  static constexpr auto schedule(collective::all_reduce) {
    return sequence<detail::circulant_reduce_scatter, detail::circulant_all_gather>{};
  }

  static constexpr cost costs(collective::reduce_scatter, int size, int) { return {log2_ceil(size), size - 1}; }
  static constexpr cost costs(collective::all_gather, int size, int) { return {log2_ceil(size), size - 1}; }
  static constexpr cost costs(collective::all_reduce, int size, int) { return {2 * log2_ceil(size), 2 * (size - 1)}; }
};

}  // namespace tutti
