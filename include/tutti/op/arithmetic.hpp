// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/op/half.hpp>

#include <concepts>
#include <type_traits>

namespace tutti {

/// left + right. Half precision is added in float and rounded once. Integers wrap as the type does; floats are added in
/// the order the algorithm folds.
struct sum {
  static constexpr bool commutative = true;
  static constexpr const char* name = "sum";
  TUTTI_ANY_CALLEE
  template <class Value>
    requires requires(Value a, Value b) {
      { a + b } -> std::convertible_to<Value>;
    }
  TUTTI_FUN constexpr Value operator()(const Value& left, const Value& right) const {
    return static_cast<Value>(left + right);
  }
  template <detail::narrow_float Value>
  TUTTI_FUN constexpr float lift(const Value& value) const {
    return value;
  }
  TUTTI_FUN constexpr float combine(float left, float right) const { return left + right; }
  TUTTI_FUN constexpr float lower(float value, int) const { return value; }
};

/// left * right.
struct prod {
  static constexpr bool commutative = true;
  static constexpr const char* name = "prod";
  TUTTI_ANY_CALLEE
  template <class Value>
    requires requires(Value a, Value b) {
      { a* b } -> std::convertible_to<Value>;
    }
  TUTTI_FUN constexpr Value operator()(const Value& left, const Value& right) const {
    return static_cast<Value>(left * right);
  }
  template <detail::narrow_float Value>
  TUTTI_FUN constexpr float lift(const Value& value) const {
    return value;
  }
  TUTTI_FUN constexpr float combine(float left, float right) const { return left * right; }
  TUTTI_FUN constexpr float lower(float value, int) const { return value; }
};

namespace detail {
/// NaN on either side wins, so that no rank order can hide it.
template <class Value>
TUTTI_FUN constexpr bool is_nan(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>)
    return value != value;
  else
    return false;
}
}  // namespace detail

/// The smaller of two. A NaN on any rank makes the result NaN; of equal values the left (lower rank) stays.
struct min {
  static constexpr bool commutative = true;
  static constexpr const char* name = "min";
  TUTTI_ANY_CALLEE
  template <class Value>
    requires requires(Value a, Value b) {
      { b < a } -> std::convertible_to<bool>;
    }
  TUTTI_FUN constexpr Value operator()(const Value& left, const Value& right) const {
    return right < left || (detail::is_nan(right) && !detail::is_nan(left)) ? right : left;
  }
  template <detail::narrow_float Value>
  TUTTI_FUN constexpr float lift(const Value& value) const {
    return value;
  }
  TUTTI_FUN constexpr float combine(float left, float right) const { return (*this)(left, right); }
  TUTTI_FUN constexpr float lower(float value, int) const { return value; }
};

/// The larger of two, with the same rules as min.
struct max {
  static constexpr bool commutative = true;
  static constexpr const char* name = "max";
  TUTTI_ANY_CALLEE
  template <class Value>
    requires requires(Value a, Value b) {
      { a < b } -> std::convertible_to<bool>;
    }
  TUTTI_FUN constexpr Value operator()(const Value& left, const Value& right) const {
    return left < right || (detail::is_nan(right) && !detail::is_nan(left)) ? right : left;
  }
  template <detail::narrow_float Value>
  TUTTI_FUN constexpr float lift(const Value& value) const {
    return value;
  }
  TUTTI_FUN constexpr float combine(float left, float right) const { return (*this)(left, right); }
  TUTTI_FUN constexpr float lower(float value, int) const { return value; }
};

/// The sum over all ranks divided once by their number. Integers are summed in 64 bits and the quotient is
/// truncated towards zero.
struct avg {
  static constexpr bool commutative = true;
  static constexpr const char* name = "avg";
  TUTTI_ANY_CALLEE
  template <class Value>
    requires(std::is_arithmetic_v<Value> || detail::narrow_float<Value>)
  TUTTI_FUN constexpr auto lift(const Value& value) const {
    if constexpr (detail::narrow_float<Value>)
      return float(value);
    else if constexpr (std::is_floating_point_v<Value>)
      return value;
    else if constexpr (std::is_signed_v<Value>)
      return static_cast<long long>(value);
    else
      return static_cast<unsigned long long>(value);
  }
  TUTTI_ANY_CALLEE
  template <class Value>
  TUTTI_FUN constexpr Value combine(const Value& left, const Value& right) const {
    return left + right;
  }
  TUTTI_ANY_CALLEE
  template <class Value>
  TUTTI_FUN constexpr Value lower(const Value& total, int size) const {
    return static_cast<Value>(total / static_cast<Value>(size));
  }
};

}  // namespace tutti
