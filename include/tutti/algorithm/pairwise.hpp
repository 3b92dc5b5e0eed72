// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, any p
//   all_to_all   p-1 rounds, each rank sends n(p-1)/p and has one partner at a time
// Scratch: none.
// Source: the long-message algorithm of R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", IJHPCA 19 (2005).

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// In round k everyone gives to the k-th rank after it and takes from the k-th before it.
struct shifted_swap {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return size - 1; }
  TUTTI_FUN static constexpr int transfers(place, int round) { return round == 0 ? 3 : 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int distance = index == 2 ? 0 : round + 1;
    if (index == 0) return send(here.wrap(here.rank + distance), {distance}, form::input);
    return store(here.wrap(here.rank - distance), {distance}, form::input).finishing();
  }
};

}  // namespace detail

/// One partner at a time: long messages without a crowd.
struct pairwise {
  static constexpr const char* name = "pairwise";
  static constexpr bool rank_order = true;

  static constexpr auto schedule(collective::all_to_all) { return detail::shifted_swap{}; }
  static constexpr cost costs(collective::all_to_all, int size, int) { return {size - 1, size - 1}; }
};

}  // namespace tutti
