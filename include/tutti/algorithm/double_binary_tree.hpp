// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, H = 1 + floor(log2 p) (1 where p is 2)
//   broadcast     H rounds, no rank sends more than n
//   reduce        H (+ 1 where root > 0) rounds, no rank sends more than n
//   all_reduce    2H rounds, reduce to rank 0 and broadcast from there; no rank sends more than 2n
// Scratch: one vector of accumulators where the result has no room for them. Folds in rank order. With chunks as
// fast as a chain for long vectors, and nearly as fast as a tree for short ones.
// Paper: P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
// Parallel Computing 35 (2009). Their second tree may be the first one turned round by a rank, which leaves rank
// order; this one is laid out one seat further, which keeps it and makes leaves of inner ranks for any p.

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// Rank 0 feeds the top of a binary tree over the others, rank r on seat r + Shift. A seat's height is the power of
/// two in its number, and each subtree is a run of neighbouring seats: those of odd number are leaves. So with Shift
/// 0 odd ranks are leaves and with Shift 1 even ones. In each round one height is served.
template <int Shift>
struct in_order_tree {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return size == 2 ? 1 : 1 + top_height(size); }
  TUTTI_FUN static constexpr int transfers(place, int) { return 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int height = top_height(here.size);
    if (round == 0) {
      const int top = (1 << height) - Shift;
      if (index > 0) return nothing();
      if (here.rank == 0) return send(top, {0}, form::final);
      return here.rank == top ? store(0, {0}, form::final) : nothing();
    }
    if (here.rank == 0) return nothing();
    const int seat = here.rank + Shift, last = here.size - 1 + Shift;
    const int own = seat & -seat, served = 1 << (height - round);
    if (own < served) return nothing();
    if (own == served) {
      // Where the parent's seat is beyond the last, the subtree hangs one level higher.
      const int above = (seat ^ own) | 2 * own;
      const int parent = above <= last ? above : seat ^ own;
      return index == 0 ? store(parent - Shift, {0}, form::final) : nothing();
    }
    if (index == 0)
      return own == 2 * served && here.rank > served ? send(here.rank - served, {0}, form::final) : nothing();
    const bool adopts = own == 2 * served || seat + 2 * served > last;
    return adopts && seat + served <= last ? send(here.rank + served, {0}, form::final) : nothing();
  }

 private:
  TUTTI_FUN static constexpr int top_height(int size) { return log2_ceil(size + Shift) - 1; }
};

/// Turns a reduction to rank 0 into one to any root: rank 0 hands over what it has folded, in one round more.
template <schedule Reduction>
struct handed_to_root {
  static constexpr bool scratch = Reduction::scratch;
  TUTTI_FUN static constexpr int blocks(int size) { return Reduction::blocks(size); }
  TUTTI_FUN static constexpr int rounds(int size, int root) { return Reduction::rounds(size, 0) + (root > 0 ? 1 : 0); }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    return round == Reduction::rounds(here.size, 0) ? 1 : Reduction::transfers({here.rank, here.size, 0}, round);
  }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    if (round == Reduction::rounds(here.size, 0)) {
      const block_range all{0, blocks(here.size)};
      if (here.rank == 0) return send(here.root, all, form::partial);
      return here.rank == here.root ? store(0, all, form::partial).finishing() : nothing();
    }
    transfer step = Reduction::at({here.rank, here.size, 0}, round, index);
    if (here.root > 0) step.becomes = form::partial;
    return step;
  }
};

using two_in_order_trees = side_by_side<in_order_tree<0>, in_order_tree<1>>;
using two_in_order_folds = side_by_side<reversed<in_order_tree<0>>, reversed<in_order_tree<1>>>;

}  // namespace detail

/// Each half of the vector has its own tree, and whoever passes on one half to two others is a leaf for the other:
/// the full bandwidth of a chain in a logarithmic number of rounds.
struct double_binary_tree {
  static constexpr const char* name = "double_binary_tree";
  static constexpr bool rank_order = true;

  static constexpr auto schedule(collective::broadcast) { return rotate_root<detail::two_in_order_trees>{}; }
  static constexpr auto schedule(collective::reduce) { return detail::handed_to_root<detail::two_in_order_folds>{}; }
  static constexpr auto schedule(collective::all_reduce) {
    return sequence<detail::two_in_order_folds, detail::two_in_order_trees>{};
  }

  static constexpr cost costs(collective::broadcast, int size, int) { return {height(size), 2}; }
  static constexpr cost costs(collective::reduce, int size, int root) { return {height(size) + (root > 0 ? 1 : 0), 2}; }
  static constexpr cost costs(collective::all_reduce, int size, int) { return {2 * height(size), size < 4 ? size : 4}; }

 private:
  static constexpr int height(int size) { return size == 2 ? 1 : log2_ceil(size + 1); }
};

}  // namespace tutti
