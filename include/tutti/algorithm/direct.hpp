// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks: rank d owns block d.
//   all_reduce      2 rounds, each rank sends 2n(p-1)/p      reduce_scatter, all_gather  1 round, n(p-1)/p
//   reduce          2 rounds, broadcast 2 rounds: blocks go through their owners
//   all_to_all      1 round, everyone sends everyone its block: n(p-1)/p      gather, scatter  as aggregator
// By loads and stores (threads, shm) the same fold order without schedule: copy in, fold the own block out of
// all ranks' copies, read the other blocks from their owners. Scratch: one block of accumulators by messages,
// two chunks a rank in the shared region by loads and stores. Folds in rank order, whatever the size.
// Source: the reduce-scatter / all-gather split of R. Rabenseifner, "Optimization of collective reduction
// operations", ICCS 2004, with all pairs at once.

#include <tutti/algorithm/aggregator.hpp>
#include <tutti/core/shared_plan.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// Everyone sends block d to rank d, which folds what it gets in rank order.
/// Finishes: the owner lowers; else the block stays partial for whoever collects it.
template <bool Finishes>
struct exchange_and_fold {
  static constexpr bool scratch = true;  // the own block waits for its turn
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return 2 * here.size - 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    if (index < here.size - 1) {
      const int owner = here.wrap(here.rank + 1 + index);  // everyone starts with another one
      return send(owner, {owner}, form::input);
    }
    const int peer = index - (here.size - 1);
    return rank_order_fold(peer, {here.rank}).finishing_if(Finishes && peer == here.size - 1);
  }
};

/// Everyone sends its block to everyone.
struct exchange_blocks {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return 2 * (here.size - 1); }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    if (index < here.size - 1) return send(here.wrap(here.rank + 1 + index), {here.rank}, form::final);
    const int peer = here.wrap(here.rank - 1 - (index - (here.size - 1)));
    return store(peer, {peer}, form::final);
  }
};

/// Every owner hands its partial block to the root, which lowers them all.
struct collect_and_lower {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.rank == here.root ? here.size : 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    return here.rank == here.root ? store(index, {index}, form::partial).finishing()
                                  : send(here.root, {here.rank}, form::partial);
  }
};

/// The root hands block d to rank d, then all exchange what the root already has.
struct scatter_and_exchange {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 2; }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    if (round == 0) return here.rank == here.root ? here.size - 1 : 1;
    return 2 * (here.size - 1);
  }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    if (round == 0) {
      const int owner = here.wrap(here.root + 1 + index);
      return here.rank == here.root ? send(owner, {owner}, form::final) : store(here.root, {here.rank}, form::final);
    }
    const bool sends = index < here.size - 1;
    const int peer = sends ? here.wrap(here.rank + 1 + index) : here.wrap(here.rank - 1 - (index - (here.size - 1)));
    if (sends) return peer == here.root ? nothing() : send(peer, {here.rank}, form::final);
    return here.rank == here.root ? nothing() : store(peer, {peer}, form::final);
  }
};

/// Everyone sends everyone its block, another one first.
struct swap_blocks {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return 2 * here.size - 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    const int distance = index < here.size - 1 ? 1 + index : index - (here.size - 1);
    if (index < here.size - 1) return send(here.wrap(here.rank + distance), {distance}, form::input);
    return store(here.wrap(here.rank - distance), {distance}, form::input).finishing();
  }
};

}  // namespace detail

/// Each rank owns a slice, folds it and gives it to all: the fastest large form where all pairs are near.
struct direct {
  static constexpr const char* name = "direct";
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_sizes = true;

  static constexpr auto schedule(collective::reduce_scatter) { return detail::exchange_and_fold<true>{}; }
  static constexpr auto schedule(collective::all_gather) { return detail::exchange_blocks{}; }
  static constexpr auto schedule(collective::all_reduce) {
    return sequence<detail::exchange_and_fold<true>, detail::exchange_blocks>{};
  }
  static constexpr auto schedule(collective::reduce) {
    return sequence<detail::exchange_and_fold<false>, detail::collect_and_lower>{};
  }
  static constexpr auto schedule(collective::broadcast) { return detail::scatter_and_exchange{}; }
  static constexpr auto schedule(collective::gather) { return detail::gather_at_root{}; }
  static constexpr auto schedule(collective::scatter) { return detail::scatter_from_root{}; }
  static constexpr auto schedule(collective::all_to_all) { return detail::swap_blocks{}; }

  static constexpr shared_plan shared(collective::reduce_scatter) {
    return {stages::all, folds::own_block, reads::nothing};
  }
  static constexpr shared_plan shared(collective::all_gather) {
    return {stages::own_block, folds::nothing, reads::everywhere};
  }
  static constexpr shared_plan shared(collective::all_reduce) {
    return {stages::all, folds::own_block, reads::everywhere};
  }
  static constexpr shared_plan shared(collective::reduce) { return {stages::all, folds::own_block, reads::at_root}; }
  static constexpr shared_plan shared(collective::broadcast) {
    return {stages::at_root, folds::nothing, reads::everywhere};
  }
  static constexpr shared_plan shared(collective::gather) {
    return {stages::own_block, folds::nothing, reads::at_root};
  }
  static constexpr shared_plan shared(collective::scatter) {
    return {stages::blocks_at_root, folds::nothing, reads::own_block};
  }
  static constexpr shared_plan shared(collective::all_to_all) {
    return {stages::all_blocks, folds::nothing, reads::own_block};
  }

  static constexpr cost costs(collective::gather, int, int) { return {1, 1}; }
  static constexpr cost costs(collective::scatter, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::all_to_all, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::reduce_scatter, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::all_gather, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::all_reduce, int size, int) { return {2, 2 * (size - 1)}; }
  static constexpr cost costs(collective::reduce, int size, int) { return {2, size}; }
  static constexpr cost costs(collective::broadcast, int size, int) { return {2, 2 * (size - 1)}; }
};

}  // namespace tutti
