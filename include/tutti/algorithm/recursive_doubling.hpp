// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, q the largest power of two in p
//   all_reduce   log2 q rounds of n; where p > q two rounds and one vector more
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

}  // namespace detail

/// Everyone folds everything in log2 p steps.
struct recursive_doubling {
  static constexpr const char* name = "recursive_doubling";
  static constexpr bool rank_order = true;

  static constexpr auto schedule(collective::all_reduce) { return fold_pairs<detail::doubling_exchange>{}; }

  static constexpr cost costs(collective::all_reduce, int size, int) {
    const int q = fold_pairs<detail::doubling_exchange>::power(size);
    return q == size ? cost{log2_ceil(q), log2_ceil(q)} : cost{log2_ceil(q) + 2, log2_ceil(q) + 1};
  }
};

}  // namespace tutti
