// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <concepts>

namespace tutti {

/// left & right, bit by bit; any integer, bool too.
struct band {
  static constexpr bool commutative = true;
  static constexpr const char* name = "band";
  template <std::integral Value>
  TUTTI_FUN constexpr Value operator()(const Value& left, const Value& right) const {
    return static_cast<Value>(left & right);
  }
};

/// left | right.
struct bor {
  static constexpr bool commutative = true;
  static constexpr const char* name = "bor";
  template <std::integral Value>
  TUTTI_FUN constexpr Value operator()(const Value& left, const Value& right) const {
    return static_cast<Value>(left | right);
  }
};

/// left ^ right.
struct bxor {
  static constexpr bool commutative = true;
  static constexpr const char* name = "bxor";
  template <std::integral Value>
  TUTTI_FUN constexpr Value operator()(const Value& left, const Value& right) const {
    return static_cast<Value>(left ^ right);
  }
};

}  // namespace tutti
