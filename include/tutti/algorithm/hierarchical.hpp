// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks in nodes of m ranks, with the costs of Inner on m and Outer on p/m ranks
//   all_reduce   Inner::reduce to the first rank of each node, Outer::all_reduce among those, Inner::broadcast
//   reduce       Inner::reduce, Outer::reduce to the root's node, Inner::broadcast in it where the root isn't its first
//   broadcast    Inner::broadcast in the root's node, Outer::broadcast, Inner::broadcast in the others
// Scratch: a vector of accumulators where the operator has them. Folds in rank order where both parts do and the
// nodes' ranks are neighbours; else the operator must commute.
// Source: the two-level collectives of T. Kielmann et al., "MagPIe: MPI's collective communication operations for
// clustered wide area systems", PPoPP 1999.

#include <tutti/algorithm/levels.hpp>
#include <tutti/core/determinism.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/engine/execute.hpp>
#include <tutti/engine/staged.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/schedule/collective.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti {
namespace detail {

/// One stage of a composition with the algorithm that is named for it, or what that choice chooses for the part.
template <class Algorithm, class Chunking, class Collective, class Book, class Reduction>
void execute_stage(Book& book, Collective tag, operands<typename Reduction::element>&& given, const Reduction& op) {
  using element = typename Reduction::element;
  const auto run = [&](auto algorithm) {
    using one = decltype(algorithm);
    static constexpr auto call = signature_of<Collective, element, Reduction, one>();
    execute<one, Chunking>(book, tag, std::move(given), op, call);
  };
  if constexpr (algorithm_choice<Algorithm>)
    Algorithm{}.template resolve<base_communicator<Book>, Collective, element, Reduction>(base_of(book), given.count,
                                                                                          run);
  else
    run(Algorithm{});
}

/// One stage of a composition: a collective of a smaller communicator.
template <class Algorithm, class Chunking, class Collective, class Book, class Reduction>
void record_stage(Book& book, Collective tag, const typename Reduction::element* input,
                  typename Reduction::element* result, std::size_t count, int root, const Reduction& op) {
  using element = typename Reduction::element;
  operands<element> given;
  given.input = input;
  given.result = result;
  given.count = count;
  given.root = root;
  given.in_place = input == result;
  given.whole_result = result != nullptr;
  execute_stage<Algorithm, Chunking>(book, tag, std::move(given), op);
}

}  // namespace detail

/// Inner within each node, Outer between their first ranks: for links of different speed. The nodes are those of
/// comm.arrange(color), else the hosts. The first call on a communicator makes the groups, which is collective; as a
/// request it waits for that.
template <class Inner, class Outer>
struct hierarchical {
  using tutti_composition = hierarchical;
  static constexpr detail::composed_name title{"hierarchical", Inner::name, Outer::name};
  static constexpr const char* name = title.text;
  static constexpr bool rank_order = detail::in_rank_order<Inner>() && detail::in_rank_order<Outer>();
  static constexpr bool same_for_all_sizes = detail::folds_all_alike<Inner>() && detail::folds_all_alike<Outer>();

  template <class Collective>
  static constexpr bool serves =
      std::derived_from<Collective, collective::all_reduce> || std::derived_from<Collective, collective::reduce> ||
      std::derived_from<Collective, collective::broadcast>;

  template <class Chunking, bool Commutes, class Collective, class Communicator, class Reduction>
  static void compose(Communicator& comm, Collective, const detail::operands<typename Reduction::element>& given,
                      const Reduction& op) {
    auto& real = detail::base_of(comm);
    auto& node = real.inner_node();
    auto& leaders = real.inner_leaders();
    const detail::placement where(real.node_colors());
    static constexpr auto call = detail::signature_of<Collective, typename Reduction::element,
                                                      typename detail::made_of<Reduction>::op, hierarchical>();
    detail::stages_of_operations stages(
        real, detail::describe(call, given.count, sizeof(typename Reduction::element), 0, given.root));
    if constexpr (!Collective::reduces) {
      broadcast<Chunking>(stages, node, leaders, where, real.rank(), given);
    } else {
      if (!Commutes) detail::expect_rank_order(real, where.in_runs(), Collective::name, name);
      fold<Chunking, std::derived_from<Collective, collective::reduce>>(stages, real, node, leaders, where, given, op);
    }
    detail::run_stages(comm, std::move(stages));
  }

 private:
  template <class Chunking, class Node, class Placement, class Element>
  static void broadcast(detail::stages_of_operations& stages, Node& node, Node& leaders, const Placement& where,
                        int rank, const detail::operands<Element>& given) {
    const auto stage = [&](auto algorithm, Node& among, int root) {
      stages.add(among, [&](auto& book) {
        detail::record_stage<decltype(algorithm), Chunking>(book, collective::broadcast{}, given.result, given.result,
                                                            given.count, root, detail::no_reduction<Element>{});
      });
    };
    const bool near = where.same(rank, given.root);
    if (near) stage(Inner{}, node, where.in_node(given.root));
    if (leaders.active()) stage(Outer{}, leaders, where.node_of(given.root));
    if (!near) stage(Inner{}, node, 0);
  }

  template <class Chunking, bool To_root, class Communicator, class Node, class Placement, class Reduction>
  static void fold(detail::stages_of_operations& stages, Communicator& real, Node& node, Node& leaders,
                   const Placement& where, const detail::operands<typename Reduction::element>& given,
                   const Reduction& op) {
    using element = typename Reduction::element;
    using value = typename Reduction::accumulator;
    const std::size_t count = given.count;
    const int size = real.size();
    const bool leads = leaders.active();
    const bool near = To_root && where.same(real.rank(), given.root);
    const bool hands_over = near && where.in_node(given.root) != 0;  // the root is not its node's first

    // The node's total, in elements: in the result where this rank has one.
    element* total = given.result;
    if (total == nullptr && (leads || hands_over))
      total = static_cast<element*>(stages.keep_memory(real.memory_pool(), count * sizeof(element)));
    // What the stages fold: the input itself, or what the operator lifts from it.
    const value* own;
    value* sums;
    if constexpr (Reduction::accumulates) {
      own = sums = static_cast<value*>(stages.keep_memory(real.memory_pool(), count * sizeof(value)));
      stages.add_local(real, [op, sums, count, input = given.input] {
        for (std::size_t i = 0; i < count; ++i) sums[i] = op.lift(input[i]);
      });
    } else {
      own = given.input;
      sums = total;
    }
    const detail::between_stages<Reduction> combine{op};
    stages.add(node, [&](auto& book) {
      detail::record_stage<Inner, Chunking>(book, collective::reduce{}, own, leads ? sums : nullptr, count, 0, combine);
    });
    if (leads)
      stages.add(leaders, [&](auto& book) {
        if constexpr (To_root)
          detail::record_stage<Outer, Chunking>(book, collective::reduce{}, sums, near ? sums : nullptr, count,
                                                where.node_of(given.root), combine);
        else
          detail::record_stage<Outer, Chunking>(book, collective::all_reduce{}, sums, sums, count, 0, combine);
      });
    if constexpr (Reduction::accumulates)
      if (leads && (near || !To_root))
        stages.add_local(real, [op, sums, total, count, size] {
          for (std::size_t i = 0; i < count; ++i) total[i] = op.lower(sums[i], size);
        });
    if (hands_over || !To_root)
      stages.add(node, [&](auto& book) {
        detail::record_stage<Inner, Chunking>(book, collective::broadcast{}, total, total, count, 0,
                                              detail::no_reduction<element>{});
      });
  }
};

}  // namespace tutti
