// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, any p
//   all_gather   ceil(log2 p) rounds, each rank sends exactly n(p-1)/p
// Scratch: none; blocks travel at their place, so that nothing is rotated in the end. Best for short vectors
// between hosts.
// Paper: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", IEEE Trans. Parallel Distrib. Syst. 8 (1997).

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

}  // namespace detail

/// What every rank has doubles in each round, for any number of ranks.
struct bruck {
  static constexpr const char* name = "bruck";
  static constexpr bool rank_order = true;

  static constexpr auto schedule(collective::all_gather) { return detail::bruck_all_gather{}; }

  static constexpr cost costs(collective::all_gather, int size, int) { return {log2_ceil(size), size - 1}; }
};

}  // namespace tutti
