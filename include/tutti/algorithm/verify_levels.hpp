// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/algorithm/hierarchical.hpp>
#include <tutti/algorithm/lanes.hpp>
#include <tutti/algorithm/levels.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/verify.hpp>

namespace tutti {
namespace detail {

/// The proof of a part, on as many ranks as it has: a group of one runs no schedule.
template <class Algorithm, class Collective>
constexpr verdict check_part(int size, int root = 0) {
  if (size > 1) return check_schedule<Algorithm, Collective>(size, root);
  verdict alone;
  alone.size = size;
  return alone;
}

/// Parts that run one after the other: the first flaw, the sum of the costs.
constexpr void follow(verdict& all, const verdict& part) {
  if (all.found != flaw::none) return;
  all.found = part.found;
  all.rank = part.rank;
  all.round = part.round;
  all.block = part.block;
  all.measured.rounds += part.measured.rounds;
  all.measured.sent_blocks += part.measured.sent_blocks;
  all.rank_order = all.rank_order && part.rank_order;
  all.same_for_all_blocks = all.same_for_all_blocks && part.same_for_all_blocks;
}
/// Parts that run side by side in the nodes: the slowest counts.
template <class Algorithm, class Collective, class Placement>
constexpr verdict check_nodes(const Placement& where) {
  verdict slowest;
  for (int rank = 0; rank < where.ranks(); ++rank) {
    if (where.first_of(rank) != rank) continue;
    const verdict one = check_part<Algorithm, Collective>(where.size_of(rank));
    if (one.found != flaw::none) return one;
    if (one.measured.rounds > slowest.measured.rounds) slowest.measured.rounds = one.measured.rounds;
    if (one.measured.sent_blocks > slowest.measured.sent_blocks)
      slowest.measured.sent_blocks = one.measured.sent_blocks;
    slowest.rank_order = slowest.rank_order && one.rank_order;
    slowest.same_for_all_blocks = slowest.same_for_all_blocks && one.same_for_all_blocks;
  }
  return slowest;
}

template <class Type>
struct parts_of;
template <class First, class Second>
struct parts_of<hierarchical<First, Second>> {
  using inner = First;
  using outer = Second;
  static constexpr bool in_lanes = false;
};
template <class First, class Second>
struct parts_of<lanes<First, Second>> {
  using inner = Second;
  using outer = First;
  static constexpr bool in_lanes = true;
};

}  // namespace detail

/// Proves an all_reduce that is made of others, for one placement: colors[r] is the node of rank r. Each part is proved
/// on the ranks it runs on; together they fold every contribution once, since each rank is in one node and each node
/// has one leader (or each lane one rank of every node). Rank order holds where the parts keep it and the nodes' ranks
/// are neighbours. measured: rounds, and the volume of the parts added up, each in its own blocks. Works while
/// compiling and at run time.
template <composition Algorithm, class Colors>
constexpr verdict check_levels(const Colors& colors) {
  using parts = detail::parts_of<Algorithm>;
  const detail::placement where(colors);
  int nodes = 0;
  for (int rank = 0; rank < where.ranks(); ++rank) nodes += where.first_of(rank) == rank;
  verdict all;
  all.size = where.ranks();
  all.rank_order = where.in_runs();
  if constexpr (parts::in_lanes) {
    detail::follow(all, detail::check_nodes<typename parts::inner, collective::reduce_scatter>(where));
    detail::follow(all, detail::check_part<typename parts::outer, collective::all_reduce>(nodes));
    detail::follow(all, detail::check_nodes<typename parts::inner, collective::all_gather>(where));
  } else {
    detail::follow(all, detail::check_nodes<typename parts::inner, collective::reduce>(where));
    detail::follow(all, detail::check_part<typename parts::outer, collective::all_reduce>(nodes));
    detail::follow(all, detail::check_nodes<typename parts::inner, collective::broadcast>(where));
  }
  if (all.found == flaw::none && Algorithm::rank_order && where.in_runs() && !all.rank_order)
    all.found = flaw::out_of_rank_order;
  if (all.found == flaw::none && detail::folds_all_alike<Algorithm>() && !all.same_for_all_blocks)
    all.found = flaw::order_differs_by_block;
  return all;
}

}  // namespace tutti
