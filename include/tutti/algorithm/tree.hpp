// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, L = ceil(log2 p), M = ceil(log2 max(root, p - root))
//   broadcast, reduce     M (+ 1 where root > 0) rounds, the busiest rank of a broadcast sends that often n
//   all_reduce            2L rounds, reduce to rank 0 and broadcast from there; chunks overlap the two
//   gather, scatter       M (+ 1 where root > 0) rounds; who stands for s ranks passes on s shards
//   all_gather            2L rounds, gather to rank 0 and broadcast; reduce_scatter 2L, reduce and scatter
// Scratch: one vector of accumulators where the result has no room for them. Folds in rank order.
// Source: the binomial tree of R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", IJHPCA 19 (2005); two trees side by side keep rank order for any root.

#include <tutti/algorithm/knomial.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

using two_tree_broadcast = knomial_broadcast<2>;

/// In round k whoever sits at an odd multiple of 2^k hands the blocks of its subtree to its parent.
/// Folds: every rank has all blocks, the subtree's ranks are in them. Else: block b belongs to rank b.
template <bool Folds>
struct binomial_up {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 1; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int) {
    const int distance = 1 << round;
    const int offset = here.rank % (2 * distance);
    const bool gives = offset == distance;
    const bool takes = offset == 0 && here.rank + distance < here.size;
    if (!gives && !takes) return nothing();
    const int child = gives ? here.rank : here.rank + distance;
    const int peer = gives ? here.rank - distance : child;
    if constexpr (Folds) {
      const block_range all{0, here.size};
      if (gives) return send(peer, all, has_folded(here, round) ? form::partial : form::input);
      return fold_right(peer, all, has_folded({child, here.size, 0}, round) ? form::partial : form::input,
                        round == 0 ? form::input : form::partial);
    } else {
      const int end = child + distance < here.size ? child + distance : here.size;
      const block_range subtree{child, end - child};
      return gives ? send(peer, subtree, form::final) : store(peer, subtree, form::final);
    }
  }

 private:
  TUTTI_FUN static constexpr bool has_folded(place there, int round) {
    return round > 0 && there.rank + 1 < there.size;
  }
};

/// All blocks from rank 0 to everyone.
struct binomial_all_down {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 1; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int) {
    transfer step = two_tree_broadcast::at({here.rank, here.size, 0}, round, 0);
    step.where.count *= here.size;
    return step;
  }
};

/// Each child gets the blocks of its subtree. Partial ones everyone lowers in a last local step: its own.
template <form Travels>
struct binomial_scatter {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return log2_ceil(size) + (Travels == form::partial ? 1 : 0); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 1; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int) {
    if (round == log2_ceil(here.size)) return store(here.rank, {here.rank}, form::partial).finishing();
    const int distance = 1 << (log2_ceil(here.size) - 1 - round);
    const int offset = here.rank % (2 * distance);
    const bool gives = offset == 0 && here.rank + distance < here.size;
    if (!gives && offset != distance) return nothing();
    const int child = gives ? here.rank + distance : here.rank;
    const int end = child + distance < here.size ? child + distance : here.size;
    const block_range subtree{child, end - child};
    return gives ? send(child, subtree, Travels) : store(here.rank - distance, subtree, Travels);
  }
};

/// The edges of two_tree_broadcast, along which shards go down from the root or up to it: who sits lower stands for
/// the neighbouring ranks [child, end). The child's own shard is its result or its input, the others lie in scratch.
template <bool Up>
struct two_tree_shards {
  static constexpr bool scratch = true;
  TUTTI_FUN static constexpr int blocks(int size) { return size; }
  TUTTI_FUN static constexpr int rounds(int size, int root) { return two_tree_broadcast::rounds(size, root); }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    return here.rank == here.root && round == 0 ? 3 : 2;
  }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    if (index == 2) return store(here.root, {here.root}, form::input).finishing();  // the root's own
    const int down = Up ? rounds(here.size, here.root) - 1 - round : round;
    const transfer edge = two_tree_broadcast::at(here, down, 0);
    if (edge.where.count == 0) return nothing();
    const bool parent = edge.what == action::send;
    const int child = parent ? edge.peer : here.rank;
    const block_range some =
        index == 0 ? block_range{child} : block_range{child + 1, end(here, child, down) - child - 1};
    const bool root_edge = (parent ? here.rank : edge.peer) == here.root;
    const form travels = (Up ? index == 0 : root_edge) ? form::input : form::partial;
    if (parent != Up) return send(edge.peer, some, travels);
    return store(edge.peer, some, travels).finishing_if(Up ? root_edge : index == 0);
  }

 private:
  TUTTI_FUN static constexpr int end(place here, int child, int round) {
    const bool low = child < here.root;
    if (low && here.root > 0 && round-- == 0) return here.root;  // rank 0 stands for all below the root
    if (!low && here.root > 0) --round;
    const int last = low ? here.root : here.size;
    const int reach = child + (1 << (two_tree_broadcast::depth(here.size, here.root) - 1 - round));
    return reach < last ? reach : last;
  }
};

}  // namespace detail

/// Few steps, whole vectors: best for short ones.
struct tree {
  static constexpr const char* name = "tree";
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_sizes = true;

  static constexpr auto schedule(collective::broadcast) { return detail::two_tree_broadcast{}; }
  static constexpr auto schedule(collective::reduce) { return reversed<detail::two_tree_broadcast>{}; }
  static constexpr auto schedule(collective::all_reduce) {
    return sequence<reversed<detail::two_tree_broadcast>, detail::two_tree_broadcast>{};
  }
  static constexpr auto schedule(collective::reduce_scatter) {
    return sequence<detail::binomial_up<true>, detail::binomial_scatter<form::partial>>{};
  }
  static constexpr auto schedule(collective::all_gather) {
    return sequence<detail::binomial_up<false>, detail::binomial_all_down>{};
  }
  static constexpr auto schedule(collective::gather) { return detail::two_tree_shards<true>{}; }
  static constexpr auto schedule(collective::scatter) { return detail::two_tree_shards<false>{}; }

  static constexpr cost costs(collective::gather, int size, int root) {
    const int above = largest_child(size - root);
    return {detail::two_tree_broadcast::rounds(size, root), root > above ? root : above};
  }
  static constexpr cost costs(collective::scatter, int size, int root) {
    return {detail::two_tree_broadcast::rounds(size, root), size - 1};
  }
  static constexpr cost costs(collective::broadcast, int size, int root) {
    const int below = log2_ceil(root), above = log2_ceil(size - root) + (root > 0 ? 1 : 0);
    return {detail::two_tree_broadcast::rounds(size, root), below > above ? below : above};
  }
  static constexpr cost costs(collective::reduce, int size, int root) {
    return {detail::two_tree_broadcast::rounds(size, root), 1};
  }
  static constexpr cost costs(collective::all_reduce, int size, int) { return {2 * log2_ceil(size), log2_ceil(size)}; }
  static constexpr cost costs(collective::all_gather, int size, int) {
    return {2 * log2_ceil(size), log2_ceil(size) * size};
  }
  static constexpr cost costs(collective::reduce_scatter, int size, int) {
    return {2 * log2_ceil(size) + 1, most_scattered(size)};
  }

 private:
  /// The ranks in the largest subtree below the root of n ranks.
  static constexpr int largest_child(int n) {
    if (n < 2) return 0;
    const int half = 1 << (log2_ceil(n) - 1);
    return n - half > half / 2 ? n - half : half / 2;
  }
  /// Rank 0 hands out all blocks but its own; every other rank hands up all of them, then scatters the
  /// blocks of its own subtree but its own.
  static constexpr int most_scattered(int size) {
    const int half = 1 << (log2_ceil(size) - 1);
    const int below = size - half;  // ranks in the subtree of rank `half`, the largest but one
    const int widest = below > half / 2 ? below : (half / 2 > 0 ? half / 2 : 1);
    return size + widest - 1;
  }
};

}  // namespace tutti
