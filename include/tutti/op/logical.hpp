// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <type_traits>

namespace tutti {
namespace detail {

/// Values become 0 or 1 as they enter, so that any number of ranks, one too, gives the same kind of answer.
template <class Value>
requires std::is_arithmetic_v<Value> TUTTI_FUN constexpr Value truth(const Value& value) {
  return static_cast<Value>(value != Value(0));
}

}  // namespace detail

/// 1 where all ranks have a non-zero value, else 0, in the element's own type.
struct land {
  static constexpr bool commutative = true;
  static constexpr const char* name = "land";
  template <class Value>
  TUTTI_FUN constexpr auto lift(const Value& value) const -> decltype(detail::truth(value)) {
    return detail::truth(value);
  }
  template <class Value>
  TUTTI_FUN constexpr Value combine(const Value& left, const Value& right) const {
    return left < right ? left : right;
  }
  template <class Value>
  TUTTI_FUN constexpr Value lower(const Value& value, int) const {
    return value;
  }
};

/// 1 where some rank has a non-zero value.
struct lor {
  static constexpr bool commutative = true;
  static constexpr const char* name = "lor";
  template <class Value>
  TUTTI_FUN constexpr auto lift(const Value& value) const -> decltype(detail::truth(value)) {
    return detail::truth(value);
  }
  template <class Value>
  TUTTI_FUN constexpr Value combine(const Value& left, const Value& right) const {
    return left < right ? right : left;
  }
  template <class Value>
  TUTTI_FUN constexpr Value lower(const Value& value, int) const {
    return value;
  }
};

/// 1 where an odd number of ranks has a non-zero value.
struct lxor {
  static constexpr bool commutative = true;
  static constexpr const char* name = "lxor";
  template <class Value>
  TUTTI_FUN constexpr auto lift(const Value& value) const -> decltype(detail::truth(value)) {
    return detail::truth(value);
  }
  template <class Value>
  TUTTI_FUN constexpr Value combine(const Value& left, const Value& right) const {
    return static_cast<Value>(left != right);
  }
  template <class Value>
  TUTTI_FUN constexpr Value lower(const Value& value, int) const {
    return value;
  }
};

}  // namespace tutti
