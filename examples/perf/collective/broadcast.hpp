// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/broadcast.hpp>

namespace perf {

struct broadcast_case {
  using tag = tutti::collective::broadcast;
  static constexpr const char* name = "broadcast";
  static constexpr bool reduces = false, rooted = true;
  static constexpr placing in_place = placing::always;
  /// The vector must leave the root once.
  static constexpr double bus_factor(int) { return 1; }
  static constexpr const char* bus_rule = "1";

  static extents lengths(const place& where) { return {where.rank == where.root ? where.count : 0, where.count, 0}; }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return input_of<Element, Op>(where.root, index, where.iteration);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::broadcast(comm, given.out, given.root, algorithm);
  }
};

}  // namespace perf
