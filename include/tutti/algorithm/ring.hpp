// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks
//   all_reduce      2(p-1) rounds, each rank sends 2n(p-1)/p     reduce_scatter, all_gather  p-1, n(p-1)/p
//   broadcast, reduce  p-1 rounds of n, a chain: with m chunks p-2+m rounds of n/m
// Scratch: reduce_scatter keeps its partial blocks, the others none. Needs a commutative operator: block b
// is folded in the cyclic order b+1, b+2, ..., b.
// Paper: P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
// J. Parallel Distrib. Comput. 69 (2009).

#include <tutti/algorithm/chain.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// Block b starts at rank b+1 and travels once round, folded by everyone it passes, home to rank b.
struct ring_reduce_scatter {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return size - 1; }
  TUTTI_FUN static constexpr int transfers(place, int) { return 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const form travels = round == 0 ? form::input : form::partial;
    if (index == 0) return send(here.next(), {here.wrap(here.rank - round - 1)}, travels);
    return fold_left(here.previous(), {here.wrap(here.rank - round - 2)}, travels, form::input)
        .finishing_if(round == here.size - 2);
  }
};

/// Block b starts at rank b and travels once round.
struct ring_all_gather {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return size - 1; }
  TUTTI_FUN static constexpr int transfers(place, int) { return 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    return index == 0 ? send(here.next(), {here.wrap(here.rank - round)}, form::final)
                      : store(here.previous(), {here.wrap(here.rank - round - 1)}, form::final);
  }
};

}  // namespace detail

/// Every rank talks to its two neighbours only. Best for large vectors where links are few.
struct ring {
  static constexpr const char* name = "ring";
  static constexpr bool rank_order = false;

  static constexpr auto schedule(collective::all_reduce) {
    return sequence<detail::ring_reduce_scatter, detail::ring_all_gather>{};
  }
  static constexpr auto schedule(collective::reduce_scatter) { return detail::ring_reduce_scatter{}; }
  static constexpr auto schedule(collective::all_gather) { return detail::ring_all_gather{}; }
  static constexpr auto schedule(collective::broadcast) { return rotate_root<detail::chain_broadcast>{}; }
  static constexpr auto schedule(collective::reduce) { return reversed<rotate_root<detail::chain_broadcast>>{}; }

  static constexpr cost costs(collective::all_reduce, int size, int) { return {2 * (size - 1), 2 * (size - 1)}; }
  static constexpr cost costs(collective::reduce_scatter, int size, int) { return {size - 1, size - 1}; }
  static constexpr cost costs(collective::all_gather, int size, int) { return {size - 1, size - 1}; }
  static constexpr cost costs(collective::broadcast, int size, int) { return {size - 1, 1}; }
  static constexpr cost costs(collective::reduce, int size, int) { return {size - 1, 1}; }
};

}  // namespace tutti
