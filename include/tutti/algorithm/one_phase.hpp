// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks: everyone gets everything from everyone and folds it all itself.
//   all_reduce      1 round, each rank sends (p-1)n and folds pn
//   scan            1 round, rank r sends n to all above it and folds (r+1)n; exclusive_scan likewise
//   the others      one round where one suffices: reduce and broadcast as aggregator, the rest as direct
// By loads and stores (threads, shm) the same fold order: copy in once, then each rank folds all copies.
// Scratch: one vector of accumulators by messages, two chunks a rank in the shared region by loads and
// stores. Folds in rank order, whatever the size. Best while latency decides.
// Source: the all-to-all broadcast with local reduction of the textbooks (V. Kumar et al., "Introduction to
// Parallel Computing"), known to inference servers as one-shot all-reduce.

#include <tutti/algorithm/aggregator.hpp>
#include <tutti/algorithm/direct.hpp>
#include <tutti/core/shared_plan.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

struct everyone_folds_everything {
  static constexpr bool scratch = true;  // the own value waits for its turn
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return 2 * here.size - 1; }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    if (index < here.size - 1) return send(here.wrap(here.rank + 1 + index), {0}, form::input);
    const int peer = index - (here.size - 1);
    const transfer fold = rank_order_fold(peer, {0});
    // In place the result overwrites what is being sent.
    return peer == here.size - 1 ? fold.finishing().once_sent() : fold;
  }
};

/// Everyone sends everything to all higher ranks, and folds what lower ranks send: with its own, or without.
template <bool Exclusive>
struct everyone_folds_ranks_below {
  static constexpr bool scratch = true;  // the own value waits for its turn
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int, int) { return 1; }
  TUTTI_FUN static constexpr int transfers(place here, int) { return here.size - 1 + (Exclusive ? 0 : 1); }
  TUTTI_FUN static constexpr transfer at(place here, int, int index) {
    const int above = here.size - 1 - here.rank;
    if (index < above) return send(here.rank + 1 + index, {0}, form::input);
    const int peer = index - above;
    const transfer fold = rank_order_fold(peer, {0});
    // In place the result overwrites what is being sent.
    return peer == here.rank - (Exclusive ? 1 : 0) ? fold.finishing().once_sent() : fold;
  }
};

}  // namespace detail

/// One step, everything to everyone: the fastest small form where all pairs are near.
struct one_phase {
  static constexpr const char* name = "one_phase";
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_sizes = true;

  static constexpr auto schedule(collective::all_reduce) { return detail::everyone_folds_everything{}; }
  static constexpr auto schedule(collective::reduce) { return aggregator::schedule(collective::reduce{}); }
  static constexpr auto schedule(collective::broadcast) { return aggregator::schedule(collective::broadcast{}); }
  static constexpr auto schedule(collective::reduce_scatter) { return direct::schedule(collective::reduce_scatter{}); }
  static constexpr auto schedule(collective::all_gather) { return direct::schedule(collective::all_gather{}); }
  static constexpr auto schedule(collective::gather) { return direct::schedule(collective::gather{}); }
  static constexpr auto schedule(collective::scatter) { return direct::schedule(collective::scatter{}); }
  static constexpr auto schedule(collective::all_to_all) { return direct::schedule(collective::all_to_all{}); }
  static constexpr auto schedule(collective::scan) { return detail::everyone_folds_ranks_below<false>{}; }
  static constexpr auto schedule(collective::exclusive_scan) { return detail::everyone_folds_ranks_below<true>{}; }

  static constexpr shared_plan shared(collective::gather) { return direct::shared(collective::gather{}); }
  static constexpr shared_plan shared(collective::scatter) { return direct::shared(collective::scatter{}); }
  static constexpr shared_plan shared(collective::all_to_all) { return direct::shared(collective::all_to_all{}); }
  static constexpr shared_plan shared(collective::scan) { return {stages::all, folds::ranks_below, reads::nothing}; }
  static constexpr shared_plan shared(collective::exclusive_scan) {
    return {stages::all, folds::ranks_below, reads::nothing};
  }
  static constexpr shared_plan shared(collective::all_reduce) {
    return {stages::all, folds::everything, reads::nothing};
  }
  static constexpr shared_plan shared(collective::reduce) { return {stages::all, folds::at_root, reads::nothing}; }
  static constexpr shared_plan shared(collective::broadcast) { return direct::shared(collective::broadcast{}); }
  static constexpr shared_plan shared(collective::reduce_scatter) {
    return direct::shared(collective::reduce_scatter{});
  }
  static constexpr shared_plan shared(collective::all_gather) { return direct::shared(collective::all_gather{}); }

  static constexpr cost costs(collective::scan, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::exclusive_scan, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::gather, int size, int root) {
    return direct::costs(collective::gather{}, size, root);
  }
  static constexpr cost costs(collective::scatter, int size, int root) {
    return direct::costs(collective::scatter{}, size, root);
  }
  static constexpr cost costs(collective::all_to_all, int size, int root) {
    return direct::costs(collective::all_to_all{}, size, root);
  }
  static constexpr cost costs(collective::all_reduce, int size, int) { return {1, size - 1}; }
  static constexpr cost costs(collective::reduce, int size, int root) {
    return aggregator::costs(collective::reduce{}, size, root);
  }
  static constexpr cost costs(collective::broadcast, int size, int root) {
    return aggregator::costs(collective::broadcast{}, size, root);
  }
  static constexpr cost costs(collective::reduce_scatter, int size, int root) {
    return direct::costs(collective::reduce_scatter{}, size, root);
  }
  static constexpr cost costs(collective::all_gather, int size, int root) {
    return direct::costs(collective::all_gather{}, size, root);
  }
};

}  // namespace tutti
