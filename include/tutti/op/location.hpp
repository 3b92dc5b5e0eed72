// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/op/arithmetic.hpp>

#include <concepts>

namespace tutti {

/// A value and where it was found: what min_loc and max_loc fold. argmax is max_loc over located<float>.
template <class Value, class Index = int>
struct located {
  Value value;
  Index index;
  friend constexpr bool operator==(const located&, const located&) = default;
};

namespace detail {
template <class Pair>
concept has_location = requires(Pair a, Pair b) {
  { a.value < b.value } -> std::convertible_to<bool>;
  { a.index < b.index } -> std::convertible_to<bool>;
};

/// A NaN before numbers, then the value that wins, then the smaller index. Without branches: which rank wins an element
/// is what no processor can foresee.
TUTTI_ANY_CALLEE
template <class Pair>
TUTTI_FUN constexpr Pair better(const Pair& left, const Pair& right, bool left_wins, bool right_wins) {
  const bool left_nan = is_nan(left.value), right_nan = is_nan(right.value);
  const bool earlier = bool(right.index < left.index);
  const bool by_value = right_wins | (!left_wins & earlier);
  return ((right_nan & !left_nan) | ((left_nan == right_nan) & by_value)) ? right : left;
}
}  // namespace detail

/// The smallest value and its index; of equal values the smallest index. A NaN wins over numbers, the one
/// with the smallest index over others. Takes located<> or any struct with value and index.
struct min_loc {
  static constexpr bool commutative = true;
  static constexpr const char* name = "min_loc";
  TUTTI_ANY_CALLEE
  template <detail::has_location Pair>
  TUTTI_FUN constexpr Pair operator()(const Pair& left, const Pair& right) const {
    return detail::better(left, right, left.value < right.value, right.value < left.value);
  }
};

/// The largest value and its index, with the same rules.
struct max_loc {
  static constexpr bool commutative = true;
  static constexpr const char* name = "max_loc";
  TUTTI_ANY_CALLEE
  template <detail::has_location Pair>
  TUTTI_FUN constexpr Pair operator()(const Pair& left, const Pair& right) const {
    return detail::better(left, right, right.value < left.value, left.value < right.value);
  }
};

}  // namespace tutti
