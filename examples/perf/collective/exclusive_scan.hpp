// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/scan.hpp>

namespace perf {

struct exclusive_scan_case {
  using tag = tutti::collective::exclusive_scan;
  static constexpr const char* name = "exclusive_scan";
  static constexpr bool reduces = true, rooted = false;
  static constexpr placing in_place = placing::either;
  /// As for scan.
  static constexpr double bus_factor(int) { return 1; }
  static constexpr const char* bus_rule = "1";

  static extents lengths(const place& where) { return {where.count, where.count, 0}; }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return where.rank == 0 ? untouched<Element, Op>(where, index) : folded<Element, Op>(where, index, where.rank - 1);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::exclusive_scan(comm, given.in, given.out, Op{}, algorithm);
  }
};

}  // namespace perf
