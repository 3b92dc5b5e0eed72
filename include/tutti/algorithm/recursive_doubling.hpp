// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, q the largest power of two in p
//   all_reduce   log2 q rounds of n; where p > q two rounds and one vector more
//   scan         ceil(log2 p) rounds of n; exclusive_scan 1 + ceil(log2 (p-1))
// Scratch: none. Folds in rank order. Best for short vectors between hosts.
// Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
// MPICH", IJHPCA 19 (2005).

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/fold_pairs.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// In round k partners at distance 2^k exchange all they have: both fold the same two values.
struct doubling_exchange {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int partner = here.rank ^ (1 << round);
    const form what = round == 0 ? form::input : form::partial;
    if (index == 0) return send(partner, {0}, what);
    const transfer fold =
        partner < here.rank ? fold_left(partner, {0}, what, what) : fold_right(partner, {0}, what, what);
    return fold.finishing_if(round == log2_ceil(here.size) - 1).once_sent();
  }
};

/// After round k a rank holds the fold of itself and the 2^(k+1) - 1 ranks before it, as far as there are any.
/// Exclusive: everyone first hands its input to the next rank, and the ranks from 1 on scan what they got.
template <bool Exclusive>
struct doubling_scan {
  static constexpr bool scratch = false;
  static constexpr int first = Exclusive ? 1 : 0;
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return first + log2_ceil(size - first); }
  TUTTI_FUN static constexpr int transfers(place here, int round) { return round == rounds(here.size, 0) - 1 ? 3 : 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int seats = here.size - first, seat = here.rank - first;
    // Only the last round lowers: until then others may want the accumulators.
    if (index == 2) return seat < 0 ? nothing() : store(here.rank, {0}, held(seat, seats)).finishing().once_sent();
    if (round < first) {
      if (index == 0) return here.rank + 1 < here.size ? send(here.rank + 1, {0}, form::input) : nothing();
      return seat < 0 ? nothing() : store(here.rank - 1, {0}, form::input).once_sent();
    }
    const int distance = 1 << (round - first);
    if (seat < 0) return nothing();
    if (index == 0) return seat + distance < seats ? send(here.rank + distance, {0}, held(seat, distance)) : nothing();
    if (seat < distance) return nothing();
    return fold_left(here.rank - distance, {0}, held(seat - distance, distance), held(seat, distance)).once_sent();
  }

 private:
  /// What a seat holds before the round of that distance. The first one never folds.
  TUTTI_FUN static constexpr form held(int seat, int distance) {
    return !Exclusive && (seat == 0 || distance == 1) ? form::input : form::partial;
  }
};

}  // namespace detail

/// Everyone folds everything in log2 p steps.
struct recursive_doubling {
  static constexpr const char* name = "recursive_doubling";
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_sizes = true;

  static constexpr auto schedule(collective::all_reduce) { return fold_pairs<detail::doubling_exchange>{}; }
  static constexpr auto schedule(collective::scan) { return detail::doubling_scan<false>{}; }
  static constexpr auto schedule(collective::exclusive_scan) { return detail::doubling_scan<true>{}; }

  /// Rank 0 sends in every round; exclusive: rank 1 does.
  static constexpr cost costs(collective::scan, int size, int) { return {log2_ceil(size), log2_ceil(size)}; }
  static constexpr cost costs(collective::exclusive_scan, int size, int) {
    return {1 + log2_ceil(size - 1), size == 2 ? 1 : 1 + log2_ceil(size - 1)};
  }
  static constexpr cost costs(collective::all_reduce, int size, int) {
    const int q = fold_pairs<detail::doubling_exchange>::power(size);
    return q == size ? cost{log2_ceil(q), log2_ceil(q)} : cost{log2_ceil(q) + 2, log2_ceil(q) + 1};
  }
};

}  // namespace tutti
