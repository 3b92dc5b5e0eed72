// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <concepts>

namespace tutti {

/// factor * (x0 + x1 + ...), each element scaled as it enters, in the element's own precision. The factor is
/// part of the operator, so it must be the same on all ranks: who folds an element scales it, whosever it is.
template <class Factor>
struct premul_sum {
  static constexpr bool commutative = true;
  static constexpr const char* name = "premul_sum";
  Factor factor;

  TUTTI_ANY_CALLEE
  template <class Value>
    requires requires(Value x, Factor f) {
      { f* x } -> std::convertible_to<Value>;
    }
  TUTTI_FUN constexpr Value lift(const Value& value) const { return static_cast<Value>(factor * value); }
  TUTTI_ANY_CALLEE
  template <class Value>
  TUTTI_FUN constexpr Value combine(const Value& left, const Value& right) const {
    return static_cast<Value>(left + right);
  }
  TUTTI_ANY_CALLEE
  template <class Value>
  TUTTI_FUN constexpr Value lower(const Value& total, int) const {
    return total;
  }
};
template <class Factor>
premul_sum(Factor) -> premul_sum<Factor>;

}  // namespace tutti
