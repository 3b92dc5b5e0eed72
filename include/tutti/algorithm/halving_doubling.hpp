// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, q the largest power of two in p
//   all_reduce   2 log2 q rounds, each rank sends 2n(q-1)/q; where p > q two rounds and one vector more
// Scratch: none. Folds in rank order, because near partners come first. Best for medium and long vectors
// between hosts, p near a power of two.
// Paper: R. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004, with distance doubling.

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/fold_pairs.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// The blocks that a rank still works on after `rounds` halvings: bit k of the rank chose the half in round k.
TUTTI_FUN constexpr block_range halved(int rank, int size, int rounds) {
  block_range mine{0, size};
  for (int round = 0; round < rounds; ++round) {
    mine.count /= 2;
    if ((rank >> round & 1) != 0) mine.first += mine.count;
  }
  return mine;
}

/// Partners at distance 2^k hold the same blocks; each gives away the half that the other keeps.
struct halving_reduce_scatter {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int partner = here.rank ^ (1 << round);
    const form what = round == 0 ? form::input : form::partial;
    if (index == 0) return send(partner, halved(partner, here.size, round + 1), what);
    const block_range kept = halved(here.rank, here.size, round + 1);
    const transfer fold =
        partner < here.rank ? fold_left(partner, kept, what, what) : fold_right(partner, kept, what, what);
    return fold.finishing_if(round == log2_ceil(here.size) - 1);
  }
};

/// The same way back: partners exchange what they have, far ones first.
struct doubling_all_gather {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int halvings = log2_ceil(here.size) - round;
    const int partner = here.rank ^ (1 << (halvings - 1));
    return index == 0 ? send(partner, halved(here.rank, here.size, halvings), form::final)
                      : store(partner, halved(partner, here.size, halvings), form::final);
  }
};

}  // namespace detail

/// Halves the vector while it doubles the distance, then the way back.
struct halving_doubling {
  static constexpr const char* name = "halving_doubling";
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_sizes = true;

  static constexpr auto schedule(collective::all_reduce) {
    return fold_pairs<sequence<detail::halving_reduce_scatter, detail::doubling_all_gather>>{};
  }

  static constexpr cost costs(collective::all_reduce, int size, int) {
    const int q = decltype(schedule(collective::all_reduce{}))::power(size);
    return q == size ? cost{2 * log2_ceil(q), 2 * (q - 1)} : cost{2 * log2_ceil(q) + 2, 2 * (q - 1) + q};
  }
};

}  // namespace tutti
