// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/all_reduce.hpp>

namespace perf {

struct all_reduce_case {
  using tag = tutti::collective::all_reduce;
  static constexpr const char* name = "all_reduce";
  static constexpr bool reduces = true, rooted = false;
  static constexpr placing in_place = placing::either;
  /// Each rank must send (n-1)/n of the vector before all of it can be folded and receive as much of the result.
  static constexpr double bus_factor(int ranks) { return 2.0 * (ranks - 1) / ranks; }
  static constexpr const char* bus_rule = "2(n-1)/n";

  static extents lengths(const place& where) { return {where.count, where.count, 0}; }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return folded<Element, Op>(where, index);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::all_reduce(comm, given.in, given.out, Op{}, algorithm);
  }
};

}  // namespace perf
