// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks: everyone talks to one rank only, which does all the folding.
//   reduce, broadcast   1 round; the root receives or sends (p-1)n
//   all_reduce          2 rounds, (p-1)n in and out of rank 0
//   reduce_scatter      2 rounds, all_gather 2 rounds
//   gather, scatter     1 round; the root receives or sends the n of all others
// Scratch at the aggregator: one vector of accumulators. Folds in rank order.
// The parameter server of M. Li et al., "Scaling distributed machine learning with the parameter server",
// OSDI 2014, and the linear algorithms of every MPI.

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// Arrival `index` of a fold over all ranks in rank order, the own value being one of them.
TUTTI_FUN constexpr transfer rank_order_fold(int index, block_range where) {
  return index == 0 ? store(0, where, form::input) : fold_right(index, where, form::input, form::partial);
}

/// All send everything to the root, which folds in rank order. Per_rank: cut by ranks, stays partial.
template <bool Per_rank>
struct fold_at_root {
  static constexpr bool scratch = true;  // the root's own value waits for its turn
  TUTTI_FUN static constexpr int blocks(int size) { return Per_rank ? size : 1; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.rank == here.root ? here.size : 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    const block_range all{0, blocks(here.size)};
    if (here.rank != here.root) return send(here.root, all, form::input);
    return rank_order_fold(index, all).finishing_if(!Per_rank && index == here.size - 1);
  }
};

/// The root sends the result to all others, the next rank first.
struct spread_from_root {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.rank == here.root ? here.size - 1 : 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    return here.rank == here.root ? send(here.wrap(here.root + 1 + index), {0}, form::final)
                                  : store(here.root, {0}, form::final);
  }
};

/// Rank 0 hands each rank its block, still partial; the owner lowers it.
struct hand_out_blocks {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.rank == 0 ? here.size : 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    if (here.rank == 0 && index > 0) return send(index, {index}, form::partial);
    return store(0, {here.rank}, form::partial).finishing();
  }
};

/// Everyone's block goes to rank 0.
struct collect_blocks {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.rank == here.root ? here.size : 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    if (here.rank != here.root) return send(here.root, {here.rank}, form::final);
    return index == here.root ? nothing() : store(index, {index}, form::final);
  }
};

/// Rank 0 sends everyone all blocks but its own: those below it, those above it.
struct return_blocks {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.rank == 0 ? 2 * (here.size - 1) : 2; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    const int reader = here.rank == 0 ? 1 + index / 2 : here.rank;
    const block_range part = index % 2 == 0 ? block_range{0, reader} : block_range{reader + 1, here.size - reader - 1};
    return here.rank == 0 ? send(reader, part, form::final) : store(0, part, form::final);
  }
};

/// Everyone's input goes to the root.
struct gather_at_root {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.rank == here.root ? here.size : 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    return here.rank == here.root ? store(index, {index}, form::input).finishing()
                                  : send(here.root, {here.rank}, form::input);
  }
};

/// The root sends each rank its block, the next rank first.
struct scatter_from_root {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.rank == here.root ? here.size : 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    const int to = here.wrap(here.root + 1 + index);
    return here.rank == here.root && to != here.root ? send(to, {to}, form::input)
                                                     : store(here.root, {here.rank}, form::input).finishing();
  }
};

}  // namespace detail

/// Gather to one, reduce there, broadcast: simple, and never better than two ranks can make it.
struct aggregator {
  static constexpr const char* name = "aggregator";
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_sizes = true;

  static constexpr auto schedule(collective::reduce) { return detail::fold_at_root<false>{}; }
  static constexpr auto schedule(collective::broadcast) { return detail::spread_from_root{}; }
  static constexpr auto schedule(collective::all_reduce) {
    return sequence<detail::fold_at_root<false>, detail::spread_from_root>{};
  }
  static constexpr auto schedule(collective::reduce_scatter) {
    return sequence<detail::fold_at_root<true>, detail::hand_out_blocks>{};
  }
  static constexpr auto schedule(collective::all_gather) {
    return sequence<detail::collect_blocks, detail::return_blocks>{};
  }
  static constexpr auto schedule(collective::gather) { return detail::gather_at_root{}; }
  static constexpr auto schedule(collective::scatter) { return detail::scatter_from_root{}; }

  static constexpr cost costs(collective::gather, int, int) { return {1, 1}; }
  static constexpr cost costs(collective::scatter, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::reduce, int, int) { return {1, 1}; }
  static constexpr cost costs(collective::broadcast, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::all_reduce, int size, int) { return {2, size - 1}; }
  static constexpr cost costs(collective::reduce_scatter, int size, int) { return {2, size}; }
  static constexpr cost costs(collective::all_gather, int size, int) { return {2, (size - 1LL) * (size - 1LL)}; }
};

}  // namespace tutti
