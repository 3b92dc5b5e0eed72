// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, D = max(root, p-1-root): with m chunks D-1+m rounds of n/m
//   broadcast     D rounds; every rank sends n, a root between others 2n
//   reduce        D rounds; every rank but the root sends n
//   all_reduce    2 floor(p/2) rounds, reduce to the rank in the middle and broadcast from there; 2n
//   scan          p-1 rounds, every rank but the last sends n
// Scratch: one vector of accumulators where the result has no room for them. Folds in rank order.
// Source: the pipelined chain of J. Pješivac-Grbović et al., "Performance analysis of MPI collective operations",
// Cluster Computing 10 (2007); two chains side by side keep rank order for any root.

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// From the root up to the last rank and down to rank 0, neighbour by neighbour: chunks make it a pipeline.
struct chain_broadcast {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int size, int root) { return root > size - 1 - root ? root : size - 1 - root; }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    const int distance = from_root(here);
    if (distance == round) return round == 0 ? 2 : 1;
    return distance == round + 1 ? 1 : 0;
  }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const bool up = here.rank > here.root || (here.rank == here.root && index == 0);
    if (from_root(here) > round) return store(here.rank + (up ? -1 : 1), {0}, form::final);
    const int further = here.rank + (up ? 1 : -1);
    return further >= 0 && further < here.size ? send(further, {0}, form::final) : nothing();
  }

 private:
  TUTTI_FUN static constexpr int from_root(place here) {
    return here.rank < here.root ? here.root - here.rank : here.rank - here.root;
  }
};

/// Each rank folds what its neighbour below has folded, and passes it on.
struct chain_scan {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int size, int) { return size - 1; }
  TUTTI_FUN static constexpr int transfers(place, int) { return 2; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const form folded = here.rank == 0 ? form::input : form::partial;
    if (index == 1)  // only now: the neighbour above wants accumulators
      return round == here.size - 2 ? store(here.rank, {0}, folded).finishing().once_sent() : nothing();
    if (here.rank == round) return send(here.rank + 1, {0}, folded);
    if (here.rank != round + 1) return nothing();
    return fold_left(round, {0}, round == 0 ? form::input : form::partial, form::input);
  }
};

/// A schedule for any root with the rank in the middle as its root: half as many rounds as from an end.
template <schedule Base>
struct rooted_in_the_middle {
  static constexpr bool scratch = Base::scratch;
  TUTTI_FUN static constexpr int blocks(int size) { return Base::blocks(size); }
  TUTTI_FUN static constexpr int rounds(int size, int) { return Base::rounds(size, size / 2); }
  TUTTI_FUN static constexpr int transfers(place here, int round) { return Base::transfers(rooted(here), round); }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    return Base::at(rooted(here), round, index);
  }

 private:
  TUTTI_FUN static constexpr place rooted(place here) { return {here.rank, here.size, here.size / 2}; }
};

}  // namespace detail

/// Every rank talks to its two neighbours only, and ranks stay in order. Best for large vectors in many chunks.
struct chain {
  static constexpr const char* name = "chain";
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_sizes = true;

  static constexpr auto schedule(collective::broadcast) { return detail::chain_broadcast{}; }
  static constexpr auto schedule(collective::reduce) { return reversed<detail::chain_broadcast>{}; }
  static constexpr auto schedule(collective::all_reduce) {
    return detail::rooted_in_the_middle<sequence<reversed<detail::chain_broadcast>, detail::chain_broadcast>>{};
  }

  static constexpr auto schedule(collective::scan) { return detail::chain_scan{}; }

  static constexpr cost costs(collective::scan, int size, int) { return {size - 1, 1}; }
  static constexpr cost costs(collective::broadcast, int size, int root) {
    return {detail::chain_broadcast::rounds(size, root), root > 0 && root < size - 1 ? 2 : 1};
  }
  static constexpr cost costs(collective::reduce, int size, int root) {
    return {detail::chain_broadcast::rounds(size, root), 1};
  }
  static constexpr cost costs(collective::all_reduce, int size, int) { return {2 * (size / 2), size == 2 ? 1 : 2}; }
};

}  // namespace tutti
