// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/all_gather.hpp>
#include <tutti/collective/by_count.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/core/buffer.hpp>
#include <tutti/core/error.hpp>
#include <tutti/op/reduction.hpp>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti {
namespace detail {

struct reproducible_tag {
  static constexpr const char* name = "reproducible";
};

/// The fixed binary tree over the indices of a distributed array: node (level, index) folds the elements from
/// index * 2^level on, its left half with its right; a half beyond the end is left out. The tree depends on the number
/// of elements alone.
template <class Reduction>
class index_tree {
 public:
  using element = typename Reduction::element;
  using accumulator = typename Reduction::accumulator;
  /// A complete subtree that one rank has folded.
  struct piece {
    std::uint64_t first, level;
    accumulator value;
  };

  explicit index_tree(const Reduction& op) : op_(op) {}

  /// The largest complete subtrees within [first, first + count), from left to right.
  std::vector<piece> fold_own(const element* data, std::uint64_t first, std::uint64_t count) {
    std::vector<piece> pieces;
    for (const std::uint64_t end = first + count, begin = first; first < end;) {
      std::uint64_t level = 0;
      while (first % (std::uint64_t(2) << level) == 0 && first + (std::uint64_t(2) << level) <= end) ++level;
      pieces.push_back({first, level, subtree(data + (first - begin), level)});
      first += std::uint64_t(1) << level;
    }
    return pieces;
  }

  /// The root, from all pieces of count elements, left to right.
  accumulator join(const std::vector<piece>& pieces, std::uint64_t count) const {
    std::uint64_t level = 0;
    while ((std::uint64_t(1) << level) < count) ++level;
    std::size_t next = 0;
    return join(pieces, next, 0, level, count);
  }

 private:
  /// Bottom up in tiles that stay in the first-level cache.
  accumulator subtree(const element* data, std::uint64_t level) {
    if (level > tile_level)
      return op_.combine(subtree(data, level - 1), subtree(data + (std::uint64_t(1) << (level - 1)), level - 1));
    std::size_t length = std::size_t(1) << level;
    tile_.resize(length);
    for (std::size_t i = 0; i < length; ++i) tile_[i] = op_.lift(data[i]);
    for (; length > 1; length /= 2)
      for (std::size_t i = 0; i < length / 2; ++i) tile_[i] = op_.combine(tile_[2 * i], tile_[2 * i + 1]);
    return tile_[0];
  }
  accumulator join(const std::vector<piece>& pieces, std::size_t& next, std::uint64_t first, std::uint64_t level,
                   std::uint64_t count) const {
    if (pieces[next].first == first && pieces[next].level == level) return pieces[next++].value;
    const std::uint64_t half = std::uint64_t(1) << (level - 1);
    const accumulator left = join(pieces, next, first, level - 1, count);
    if (first + half >= count) return left;
    return op_.combine(left, join(pieces, next, first + half, level - 1, count));
  }

  static constexpr std::uint64_t tile_level = 8;
  const Reduction& op_;
  std::vector<accumulator> tile_;
};

}  // namespace detail

/// Folds all elements of an array that lies on the ranks, one after the other, to one value; every rank gets it. Its
/// bits depend on the elements and their number alone: not on the number of ranks, nor on how many each one has.
///
/// local     this rank's elements, as many as it likes; read. All ranks together must have at least one.
/// op        associative up to rounding; it need not commute. lower gets the number of elements.
/// Who calls, what it throws: as all_reduce.
/// Cost      each rank folds its own, then gathers at most 2 log2(n) values of each.
/// Source    the index tree of D. Hespe, L. Hübner, C. Stelz, A. Stamatakis, "Bit-reproducible parallel phylogenetic
///           tree inference", 2024, and of pairwise summation before it.
template <class Communicator, contiguous_range Local, operator_like Op>
element_of<Local> reproducible_reduce(Communicator& comm, Local&& local, Op op) {
  using element = element_of<Local>;
  static_assert(reduction_op<Op, element>,
                "tutti: the operator can't fold this element type: it needs op(element, element) -> element, or lift, "
                "combine and lower");
  detail::expect_member(comm, "reproducible_reduce");
  const auto own = detail::read_view(local);
  std::uint64_t first = 0, total = 0;
  int rank = 0;
  detail::exchange_numbers<detail::reproducible_tag, element>(comm, own.count, 0, [&](std::size_t count) {
    if (rank++ < comm.rank()) first += count;
    total += count;
  });
  if (total == 0)
    detail::fail(errc::bad_argument, comm.rank(),
                 "reproducible_reduce on rank %d: all %d ranks together have 0 elements, expected at least 1",
                 comm.rank(), comm.size());
  const reduction<Op, element> bound{op};
  detail::index_tree tree(bound);
  const auto pieces = all_gather_v(comm, tree.fold_own(own.data, first, own.count));
  return bound.lower(tree.join(pieces.elements, total), total > INT_MAX ? INT_MAX : int(total));
}

}  // namespace tutti
