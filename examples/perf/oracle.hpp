// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/op/arithmetic.hpp>
#include <tutti/op/location.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

namespace perf {

/// One call as one rank sees it. count is the length of the whole vector, whatever part of it this rank has.
struct place {
  int rank = 0;
  int ranks = 1;
  int root = 0;
  std::size_t count = 0;
  std::uint32_t iteration = 0;
  bool in_place = false;
};

/// Elements [first, first + count) of the whole.
struct part {
  std::size_t first = 0;
  std::size_t count = 0;
};

// What follows knows nothing of how tutti works: plain loops over what every rank is known to have put in. Only the
// names of tutti's operators are used. Kernels call it too.

/// The shard of a rank: the whole dealt out as evenly as possible, the first count % ranks ranks one element more.
TUTTI_FUN inline part part_of(const place& where, int rank) {
  const auto ranks = std::size_t(where.ranks), before = std::size_t(rank);
  const std::size_t small = where.count / ranks, longer = where.count % ranks;
  return {before * small + (before < longer ? before : longer), small + (before < longer ? 1 : 0)};
}

/// The rank whose shard holds an element.
TUTTI_FUN inline int owner_of(const place& where, std::size_t index) {
  const auto ranks = std::size_t(where.ranks);
  const std::size_t small = where.count / ranks, longer = where.count % ranks, in_longer = longer * (small + 1);
  return int(index < in_longer ? index / (small + 1) : longer + (index - in_longer) / small);
}

/// Another number for each rank, element and iteration: the high bits are the good ones. Strides of no power of two map
/// a block onto another, so that one that went astray shows.
TUTTI_FUN constexpr std::uint32_t scattered(int rank, std::size_t index, std::uint32_t iteration) {
  return std::uint32_t(index) * 0x9e3779b1u + std::uint32_t(rank + 1) * 0x7feb352du + iteration * 0x846ca68bu;
}

/// What rank puts at its own element index. For an operator: small whole numbers, so that every order of folding gives
/// the same bits: 0 to 15, and 1 or 2 where they are multiplied (exact in float up to 127 ranks).
template <class Element, class Op>
TUTTI_FUN constexpr Element input_of(int rank, std::size_t index, std::uint32_t iteration) {
  const std::uint32_t bits = scattered(rank, index, iteration);
  if constexpr (std::is_void_v<Op>) {  // moved only: as many bits as there are
    constexpr int width = std::numeric_limits<Element>::digits;
    return width > 32 ? Element(Element(bits) * 0x100000001u) : Element(bits >> (32 - (width < 32 ? width : 32)));
  } else if constexpr (std::is_same_v<Op, tutti::max_loc>) {  // each rank gives its own number as the place
    return Element{float(bits >> 28), rank};
  } else if constexpr (std::is_same_v<Op, tutti::prod>) {
    return Element(float(1 + (bits >> 31)));
  } else {
    return Element(float(bits >> 28));
  }
}

namespace detail {
/// Sums of integers wrap as the element does; those of floats are exact.
template <class Element>
using wide = std::conditional_t<std::is_integral_v<Element>, std::uint64_t, double>;

template <class Op, class Wide>
TUTTI_FUN constexpr Wide joined_by(Wide left, Wide right) {
  if constexpr (std::is_same_v<Op, tutti::prod>)
    return left * right;
  else if constexpr (std::is_same_v<Op, tutti::min>)
    return right < left ? right : left;
  else if constexpr (std::is_same_v<Op, tutti::max>)
    return left < right ? right : left;
  else
    return left + right;
}

template <class Element, class Op>
TUTTI_FUN constexpr Element folded_number(const place& where, std::size_t index, int last) {
  using number = wide<Element>;
  number total = number(input_of<Element, Op>(0, index, where.iteration));
  for (int rank = 1; rank <= last; ++rank)
    total = joined_by<Op>(total, number(input_of<Element, Op>(rank, index, where.iteration)));
  if constexpr (std::is_same_v<Op, tutti::avg>) total = total / number(last + 1);
  if constexpr (std::is_integral_v<Element> || std::is_same_v<Element, double>)
    return Element(total);
  else
    return Element(float(total));
}
}  // namespace detail

/// Element index of the fold over the inputs of ranks 0 to last.
template <class Element, class Op>
TUTTI_FUN constexpr Element folded(const place& where, std::size_t index, int last) {
  if constexpr (std::is_same_v<Op, tutti::max_loc>) {
    Element best = input_of<Element, Op>(0, index, where.iteration);
    for (int rank = 1; rank <= last; ++rank)  // of equal values the lowest rank's
      if (const auto other = input_of<Element, Op>(rank, index, where.iteration); other.value > best.value)
        best = other;
    return best;
  } else {
    return detail::folded_number<Element, Op>(where, index, last);
  }
}

template <class Element, class Op>
TUTTI_FUN constexpr Element folded(const place& where, std::size_t index) {
  return folded<Element, Op>(where, index, where.ranks - 1);
}

/// What a rank's output holds where nobody writes it, before the call and after: its input, or poison.
inline constexpr unsigned char poison_byte = 0xa5;
template <class Element, class Op>
TUTTI_FUN Element untouched(const place& where, std::size_t index) {
  if (where.in_place) return input_of<Element, Op>(where.rank, index, where.iteration);
  Element poisoned{};
  std::memset(static_cast<void*>(&poisoned), poison_byte, sizeof poisoned);
  return poisoned;
}

/// Element index of the shards of all ranks side by side.
template <class Element>
TUTTI_FUN Element gathered(const place& where, std::size_t index) {
  const int owner = owner_of(where, index);
  return input_of<Element, void>(owner, index - part_of(where, owner).first, where.iteration);
}

/// How many elements of found differ from expected(index).
template <class Element, class Expected>
std::uint64_t count_wrong(std::span<const Element> found, Expected&& expected) {
  std::uint64_t wrong = 0;
  for (std::size_t index = 0; index < found.size(); ++index) wrong += found[index] == expected(index) ? 0 : 1;
  return wrong;
}

}  // namespace perf
