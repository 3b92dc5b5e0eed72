// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/core/type_name.hpp>

#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tutti {

/// The full vocabulary of an operator, for results that need more than an element while they grow:
///   lift(element) -> accumulator                 a rank's own value enters
///   combine(accumulator, accumulator)            associative; left operand holds the lower ranks
///   lower(accumulator, size) -> element          leaves once, when all size ranks are in
/// While a block is partial it travels and lies in scratch as accumulator; finished it is element again.
template <class Op, class Element>
concept accumulating_op = requires(const Op& op, const Element& element) {
  { op.combine(op.lift(element), op.lift(element)) } -> std::convertible_to<decltype(op.lift(element))>;
  { op.lower(op.lift(element), 1) } -> std::convertible_to<Element>;
  requires std::is_trivially_copyable_v<decltype(op.lift(element))>;
};

/// The short form: any associative callable (element, element) -> element.
template <class Op, class Element>
concept callable_op = requires(const Op& op, const Element& element) {
  { op(element, element) } -> std::convertible_to<Element>;
};

/// What a reduction accepts as its operator.
template <class Op, class Element>
concept reduction_op = std::copy_constructible<Op> &&(accumulating_op<Op, Element> || callable_op<Op, Element>);

namespace detail {

/// The operators of <functional> are known by name: including it would cost every user a quarter second.
constexpr bool named_commutative(text name) {
  if (!name.starts_with("std::")) return false;
  for (const char* word : {"plus<", "multiplies<", "bit_and<", "bit_or<", "bit_xor<", "logical_and<", "logical_or<"})
    if (name.contains(word)) return true;
  return false;
}

template <class Op>
constexpr bool says_commutative() {
  if constexpr (requires {
                  { Op::commutative } -> std::convertible_to<bool>;
                })
    return Op::commutative;
  else
    return named_commutative(type_name<Op>());
}

}  // namespace detail

/// True for an operator that says it commutes: a member `static constexpr bool commutative = true`, the
/// commutative ones of <functional>, and whatever went through tutti::commutative. A plain lambda does not
/// say so and is folded in rank order.
template <class Op>
inline constexpr bool is_commutative = detail::says_commutative<Op>();

/// An operator bound to an element type: one interface for both forms, inlined away.
template <class Op, class Element>
  requires reduction_op<Op, Element>
struct reduction {
  Op op;

  static constexpr bool accumulates = accumulating_op<Op, Element>;

  static auto accumulator_type() {
    if constexpr (accumulates)
      return std::type_identity<
          std::remove_cvref_t<decltype(std::declval<const Op&>().lift(std::declval<const Element&>()))>>{};
    else
      return std::type_identity<Element>{};
  }
  using element = Element;
  using accumulator = typename decltype(accumulator_type())::type;

  TUTTI_ANY_CALLEE
  TUTTI_FUN constexpr accumulator lift(const Element& value) const {
    if constexpr (accumulates)
      return op.lift(value);
    else
      return value;
  }
  TUTTI_ANY_CALLEE
  TUTTI_FUN constexpr accumulator combine(const accumulator& left, const accumulator& right) const {
    if constexpr (accumulates)
      return static_cast<accumulator>(op.combine(left, right));
    else
      return static_cast<accumulator>(op(left, right));
  }
  TUTTI_ANY_CALLEE
  TUTTI_FUN constexpr Element lower(const accumulator& value, int size) const {
    if constexpr (accumulates)
      return static_cast<Element>(op.lower(value, size));
    else
      return value;
  }
};

namespace detail {

/// What a reduction was made of.
template <class Reduction>
struct made_of {
  struct op {
    static constexpr const char* name = "none";
  };
};
template <class Op, class Element>
struct made_of<reduction<Op, Element>> {
  using op = Op;
};

}  // namespace detail
}  // namespace tutti
