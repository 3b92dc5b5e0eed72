// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/scan.hpp>

namespace perf {

struct scan_case {
  using tag = tutti::collective::scan;
  static constexpr const char* name = "scan";
  static constexpr bool reduces = true, rooted = false;
  static constexpr placing in_place = placing::either;
  /// Between two neighbours the vector must pass once: what the ranks on one side make of theirs.
  static constexpr double bus_factor(int) { return 1; }
  static constexpr const char* bus_rule = "1";

  static extents lengths(const place& where) { return {where.count, where.count, 0}; }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return folded<Element, Op>(where, index, where.rank);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::scan(comm, given.in, given.out, Op{}, algorithm);
  }
};

}  // namespace perf
