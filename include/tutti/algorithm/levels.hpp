// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/concepts.hpp>
#include <tutti/core/config.hpp>
#include <tutti/core/error.hpp>

#include <cstddef>

namespace tutti::detail {

/// "hierarchical<direct, tree>" and so on, known while compiling.
struct composed_name {
  char text[64] = {};
  constexpr composed_name(const char* outer, const char* first, const char* second = nullptr) {
    std::size_t end = 0;
    const auto append = [&](const char* more) {
      for (; *more != 0 && end + 1 < sizeof text; ++more) text[end++] = *more;
    };
    append(outer);
    append("<");
    append(first);
    if (second != nullptr) append(", ");
    if (second != nullptr) append(second);
    append(">");
  }
};

/// What a choice (automatic) chooses from folds in rank order where the operator needs it.
template <class Algorithm>
constexpr bool in_rank_order() {
  if constexpr (algorithm_choice<Algorithm>)
    return true;
  else
    return Algorithm::rank_order;
}

/// How the ranks of a communicator lie in nodes, from the colors of all of them.
template <class Colors>
class placement {
 public:
  constexpr explicit placement(const Colors& colors) : colors_(colors) {}

  constexpr int first_of(int rank) const {
    int first = 0;
    while (colors_[std::size_t(first)] != colors_[std::size_t(rank)]) ++first;
    return first;
  }
  /// Among the ranks of its node.
  constexpr int in_node(int rank) const {
    int before = 0;
    for (int other = 0; other < rank; ++other) before += same(other, rank);
    return before;
  }
  /// Among the nodes, which are in the order of their first ranks.
  constexpr int node_of(int rank) const {
    const int first = first_of(rank);
    int before = 0;
    for (int other = 0; other < first; ++other) before += first_of(other) == other;
    return before;
  }
  constexpr bool same(int one, int other) const { return colors_[std::size_t(one)] == colors_[std::size_t(other)]; }
  constexpr int ranks() const { return int(colors_.size()); }
  /// Each node's ranks are neighbours.
  constexpr bool in_runs() const {
    for (int rank = 1; rank < ranks(); ++rank)
      if (!same(rank - 1, rank) && first_of(rank) != rank) return false;
    return true;
  }
  /// A rank whose node is larger or smaller than that of rank 0; -1 where there is none.
  constexpr int of_another_size() const {
    for (int rank = 0; rank < ranks(); ++rank)
      if (size_of(rank) != size_of(0)) return rank;
    return -1;
  }
  constexpr bool one_node() const { return size_of(0) == ranks(); }
  /// No node has two ranks.
  constexpr bool all_alone() const {
    for (int rank = 0; rank < ranks(); ++rank)
      if (first_of(rank) != rank) return false;
    return true;
  }
  constexpr int size_of(int rank) const {
    int count = 0;
    for (int other = 0; other < ranks(); ++other) count += same(other, rank);
    return count;
  }

 private:
  const Colors& colors_;
};

/// An operator on accumulators alone: nothing is lifted or lowered between the stages of a composition.
template <class Reduction>
struct between_stages {
  using element = typename Reduction::accumulator;
  using accumulator = element;
  static constexpr bool accumulates = false;
  Reduction op;
  TUTTI_FUN constexpr accumulator combine(const accumulator& left, const accumulator& right) const {
    return op.combine(left, right);
  }
  TUTTI_FUN constexpr const accumulator& lift(const accumulator& value) const { return value; }
  TUTTI_FUN constexpr const accumulator& lower(const accumulator& value, int) const { return value; }
};

template <class Communicator>
void expect_rank_order(Communicator& comm, bool in_runs, const char* collective, const char* algorithm) {
  if (!in_runs)
    fail(errc::bad_argument, comm.rank(),
         "%s on rank %d: %s can't keep rank order, as the ranks of a node are no neighbours; wrap the operator in "
         "tutti::commutative(op)",
         collective, comm.rank(), algorithm);
}

}  // namespace tutti::detail
