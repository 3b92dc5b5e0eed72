// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks in nodes of m ranks, with the costs of Outer on p/m ranks for n/m bytes
//   all_reduce   Inner::reduce_scatter in each node, Outer::all_reduce of each lane's shard, Inner::all_gather
// All ranks of a node talk to other nodes at once, each with its own shard: for nodes with several links.
// Scratch: the shards, and a vector of accumulators where the operator has them. Needs nodes of one size. Folds in rank
// order where both parts do and the nodes' ranks are neighbours; else the operator must commute.
// Source: J. L. Träff, S. Hunold, "Decomposing MPI collectives for exploiting multi-lane communication", CLUSTER 2020.

#include <tutti/algorithm/direct.hpp>
#include <tutti/algorithm/hierarchical.hpp>
#include <tutti/algorithm/levels.hpp>
#include <tutti/core/determinism.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/partition.hpp>
#include <tutti/engine/execute.hpp>
#include <tutti/engine/staged.hpp>
#include <tutti/schedule/collective.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

namespace tutti {

/// Outer between the nodes, in as many lanes as a node has ranks; Inner within them. Nodes as in hierarchical.
template <class Outer, class Inner = direct>
struct lanes {
  using tutti_composition = lanes;
  static constexpr detail::composed_name title{"lanes", Outer::name, Inner::name};
  static constexpr const char* name = title.text;
  static constexpr bool rank_order = detail::in_rank_order<Inner>() && detail::in_rank_order<Outer>();
  static constexpr bool same_for_all_sizes = detail::folds_all_alike<Inner>() && detail::folds_all_alike<Outer>();

  template <class Collective>
  static constexpr bool serves = std::derived_from<Collective, collective::all_reduce>;

  template <class Chunking, bool Commutes, class Collective, class Communicator, class Reduction>
  static void compose(Communicator& comm, Collective, const detail::operands<typename Reduction::element>& given,
                      const Reduction& op) {
    using element = typename Reduction::element;
    using value = typename Reduction::accumulator;
    auto& real = detail::base_of(comm);
    auto& node = real.inner_node();
    auto& lane = real.inner_lanes();
    const detail::placement where(real.node_colors());
    if (!Commutes) detail::expect_rank_order(real, where.in_runs(), Collective::name, name);
    if (const int other = where.of_another_size(); other >= 0)
      detail::fail(errc::bad_argument, real.rank(),
                   "%s on rank %d: %s needs nodes of one size; the node of rank 0 has %d ranks, that of rank %d has %d",
                   Collective::name, real.rank(), name, where.size_of(0), other, where.size_of(other));
    const std::size_t count = given.count;
    const range mine = shard(count, node.size(), node.rank());
    const int size = real.size();
    static constexpr auto call =
        detail::signature_of<Collective, typename Reduction::element, typename detail::made_of<Reduction>::op, lanes>();
    detail::stages_of_operations stages(
        real, detail::describe(call, given.count, sizeof(typename Reduction::element), 0, given.root));
    auto* sums = static_cast<value*>(stages.keep_memory(real.memory_pool(), (mine.count + 1) * sizeof(value)));
    const value* own;
    if constexpr (Reduction::accumulates) {
      auto* lifted = static_cast<value*>(stages.keep_memory(real.memory_pool(), (count + 1) * sizeof(value)));
      stages.add_local(real, [op, lifted, count, input = given.input] {
        for (std::size_t i = 0; i < count; ++i) lifted[i] = op.lift(input[i]);
      });
      own = lifted;
    } else {
      own = given.input;
    }
    const detail::between_stages<Reduction> combine{op};
    stages.add(node, [&](auto& book) {
      detail::operands<value> part;
      part.input = own;
      part.result = sums;
      part.result_first = mine.first;
      part.count = count;
      detail::execute_stage<Inner, Chunking>(book, collective::reduce_scatter{}, std::move(part), combine);
    });
    stages.add(lane, [&](auto& book) {
      detail::record_stage<Outer, Chunking>(book, collective::all_reduce{}, sums, sums, mine.count, 0, combine);
    });
    stages.add_local(real, [op, sums, size, mine, result = given.result] {
      for (std::size_t i = 0; i < mine.count; ++i) result[mine.first + i] = op.lower(sums[i], size);
    });
    stages.add(node, [&](auto& book) {
      detail::operands<element> whole;
      whole.input = given.result + mine.first;
      whole.input_first = mine.first;
      whole.result = given.result;
      whole.count = count;
      whole.whole_result = true;
      detail::execute_stage<Inner, Chunking>(book, collective::all_gather{}, std::move(whole),
                                             detail::no_reduction<element>{});
    });
    detail::run_stages(comm, std::move(stages));
  }
};

}  // namespace tutti
