// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/op/reduction.hpp>

#include <type_traits>
#include <utility>

namespace tutti {
namespace detail {

struct no_identity {};

template <class Op, class Identity>
struct commutative_op : Op {
  static constexpr bool commutative = true;
  [[no_unique_address]] Identity identity;
  TUTTI_FUN constexpr explicit commutative_op(Op op, Identity value = {}) : Op(std::move(op)), identity(value) {}
};

/// Functions and final classes can't be inherited from.
template <class Op, class Identity>
struct commutative_call {
  static constexpr bool commutative = true;
  Op op;
  [[no_unique_address]] Identity identity{};
  TUTTI_ANY_CALLEE
  template <class Left, class Right>
  TUTTI_FUN constexpr auto operator()(const Left& left, const Right& right) const requires requires {
    op(left, right);
  }
  { return op(left, right); }
};

template <class Op, class Identity>
constexpr auto make_commutative(Op op, Identity identity) {
  if constexpr (std::is_class_v<Op> && !std::is_final_v<Op>)
    return commutative_op<Op, Identity>(std::move(op), identity);
  else
    return commutative_call<Op, Identity>{std::move(op), identity};
}

}  // namespace detail

/// Promises that op commutes, so that algorithms which fold out of rank order may take it.
template <class Op>
constexpr auto commutative(Op op) {
  return detail::make_commutative(std::move(op), detail::no_identity{});
}

/// The same, with the value that changes nothing: op(identity, x) == x.
template <class Op, class Identity>
constexpr auto commutative(Op op, Identity identity) {
  return detail::make_commutative(std::move(op), identity);
}

}  // namespace tutti
