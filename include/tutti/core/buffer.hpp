// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tutti {
namespace detail {

template <class Range>
constexpr auto data_of(Range&& range) {
  if constexpr (std::is_bounded_array_v<std::remove_reference_t<Range>>)
    return +range;
  else
    return range.data();
}

template <class Range>
constexpr std::size_t size_of(Range&& range) {
  if constexpr (std::is_bounded_array_v<std::remove_reference_t<Range>>)
    return std::extent_v<std::remove_reference_t<Range>>;
  else
    return std::size_t(range.size());
}

/// A pointer and a length: what every range becomes behind the front door.
template <class Element>
struct view {
  Element* data = nullptr;
  std::size_t count = 0;
};

/// The least range: what std::span would be without its header.
template <class Element>
struct view_range {
  Element* first;
  std::size_t count;
  Element* data() const { return first; }
  std::size_t size() const { return count; }
};

/// Size and element access, as far as lists of ranges need it.
template <class List>
constexpr std::size_t length_of(const List& list) {
  std::size_t length = 0;
  for (const auto& one : list) (void)one, ++length;
  return length;
}

}  // namespace detail

/// Anything that keeps its elements side by side: a vector, an array, a span, a C array, a buffer of tutti.
template <class Range>
concept contiguous_range = std::is_bounded_array_v<std::remove_reference_t<Range>> || requires(Range& range) {
  requires std::is_pointer_v<decltype(range.data())>;
  { range.size() } -> std::convertible_to<std::size_t>;
};

template <contiguous_range Range>
using element_of = std::remove_cv_t<std::remove_pointer_t<decltype(detail::data_of(std::declval<Range&>()))>>;

/// A range that a collective may write.
template <class Range>
concept writable_range = contiguous_range<Range> &&
    !std::is_const_v<std::remove_pointer_t<decltype(detail::data_of(std::declval<Range&>()))>>;

/// A range of ranges, one for each rank: std::vector<std::vector<float>>, std::array<std::span<float>, 4>, ...
template <class List>
concept list_of_ranges = requires(List& list) {
  list.begin();
  list.end();
  requires contiguous_range<decltype(*list.begin())>;
  requires !std::is_aggregate_v<std::remove_cvref_t<decltype(*list.begin())>>;  // a std::array is an element
};

/// What a collective takes as one buffer: not a list of them.
template <class Range>
concept flat_range = contiguous_range<Range> && !list_of_ranges<Range>;

template <list_of_ranges List>
using element_of_list = element_of<decltype(*std::declval<List&>().begin())>;

namespace detail {

template <contiguous_range Range>
view<const element_of<Range>> read_view(Range& range) {
  static_assert(std::is_trivially_copyable_v<element_of<Range>>,
                "tutti: elements travel as bytes, so their type must be trivially copyable");
  return {data_of(range), size_of(range)};
}

template <writable_range Range>
view<element_of<Range>> write_view(Range& range) {
  static_assert(std::is_trivially_copyable_v<element_of<Range>>,
                "tutti: elements travel as bytes, so their type must be trivially copyable");
  return {data_of(range), size_of(range)};
}

/// True where two ranges share a byte.
template <class First, class Second>
bool overlap(view<First> one, view<Second> other) {
  const auto begin = reinterpret_cast<std::uintptr_t>(one.data);
  const auto start = reinterpret_cast<std::uintptr_t>(other.data);
  return one.count != 0 && other.count != 0 && begin < start + other.count * sizeof(Second) &&
         start < begin + one.count * sizeof(First);
}

}  // namespace detail
}  // namespace tutti
