// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/reduce.hpp>

namespace perf {

struct reduce_case {
  using tag = tutti::collective::reduce;
  static constexpr const char* name = "reduce";
  static constexpr bool reduces = true, rooted = true;
  static constexpr placing in_place = placing::either;
  /// The vector must reach the root once.
  static constexpr double bus_factor(int) { return 1; }
  static constexpr const char* bus_rule = "1";

  static extents lengths(const place& where) { return {where.count, where.rank == where.root ? where.count : 0, 0}; }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return folded<Element, Op>(where, index);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::reduce(comm, given.in, given.out, Op{}, given.root, algorithm);
  }
};

}  // namespace perf
