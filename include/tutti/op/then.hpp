// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/op/commutative.hpp>
#include <tutti/op/reduction.hpp>

#include <concepts>
#include <utility>

namespace tutti {

/// An operator with an epilogue: what op makes of all ranks' elements, function(element) -> element turns into the
/// result, where it is still in registers. Every rank that gets an element gets it so; see then.
template <class Op, class Function>
struct with_epilogue {
  Op op;
  Function function;

  static constexpr bool commutative = is_commutative<Op>;
  static constexpr const char* name = "then";

  /// Keeps the type of the elements, which an accumulator alone may not tell.
  template <class Element>
  struct partial {
    typename reduction<Op, Element>::accumulator value;
  };

  TUTTI_ANY_CALLEE
  template <class Element>
  requires reduction_op<Op, Element> TUTTI_FUN constexpr partial<Element> lift(const Element& value) const {
    return {reduction<Op, Element>{op}.lift(value)};
  }
  TUTTI_ANY_CALLEE
  template <class Element>
  TUTTI_FUN constexpr partial<Element> combine(const partial<Element>& left, const partial<Element>& right) const {
    return {reduction<Op, Element>{op}.combine(left.value, right.value)};
  }
  TUTTI_ANY_CALLEE
  template <class Element>
  TUTTI_FUN constexpr Element lower(const partial<Element>& total, int size) const {
    return static_cast<Element>(function(reduction<Op, Element>{op}.lower(total.value, size)));
  }
};

/// all_reduce(comm, gradients, then(sum{}, clip{1.0f})): the fold and what follows it element by element, in one pass.
///
/// function   (element) -> element, without effects; the same on all ranks
template <class Op, class Function>
TUTTI_FUN constexpr with_epilogue<Op, Function> then(Op op, Function function) {
  return {std::move(op), std::move(function)};
}

}  // namespace tutti
