// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks
//   broadcast   ceil(log2 p) + p-1 rounds, the root sends 2n(p-1)/p, every rank receives less than 2n
// Scratch: none. Best for long vectors that can't be cut into chunks enough to fill a chain.
// Paper: M. Barnett, S. Gupta, D. G. Payne, L. Shuler, R. van de Geijn, J. Watts, "Interprocessor collective
// communication library (InterCom)", SHPCC 1994.

#include <tutti/algorithm/ring.hpp>
#include <tutti/algorithm/tree.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {

/// The root scatters its vector down a binomial tree, then the blocks travel once round the ring.
struct scatter_all_gather {
  static constexpr const char* name = "scatter_all_gather";
  static constexpr bool rank_order = true;

  static constexpr auto schedule(collective::broadcast) {
    return rotate_root<sequence<detail::binomial_scatter<form::final>, detail::ring_all_gather>>{};
  }

  static constexpr cost costs(collective::broadcast, int size, int) {
    return {log2_ceil(size) + size - 1, 2 * (size - 1)};
  }
};

}  // namespace tutti
