// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/all_to_all.hpp>

namespace perf {

struct all_to_all_case {
  using tag = tutti::collective::all_to_all;
  static constexpr const char* name = "all_to_all";
  static constexpr bool reduces = false, rooted = false;
  static constexpr placing in_place = placing::never;
  /// bytes is the whole input of a rank, of which it must send all but the part for itself.
  static constexpr double bus_factor(int ranks) { return double(ranks - 1) / ranks; }
  static constexpr const char* bus_rule = "(n-1)/n";

  /// All parts have the same length.
  static std::size_t fitting(std::size_t count, int ranks) {
    const auto parts = std::size_t(ranks);
    return (count + parts - 1) / parts * parts;
  }
  static extents lengths(const place& where) { return {where.count, where.count, 0}; }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    const std::size_t length = where.count / std::size_t(where.ranks), sender = index / length;
    const std::size_t at_sender = std::size_t(where.rank) * length + index % length;
    return input_of<Element, Op>(int(sender), at_sender, where.iteration);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::all_to_all(comm, given.in, given.out, algorithm);
  }
};

}  // namespace perf
