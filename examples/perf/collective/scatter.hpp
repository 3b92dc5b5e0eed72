// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/scatter.hpp>

namespace perf {

struct scatter_case {
  using tag = tutti::collective::scatter;
  static constexpr const char* name = "scatter";
  static constexpr bool reduces = false, rooted = true;
  static constexpr placing in_place = placing::never;
  /// bytes is the whole input of the root, of which it must send all but its own shard.
  static constexpr double bus_factor(int ranks) { return double(ranks - 1) / ranks; }
  static constexpr const char* bus_rule = "(n-1)/n";

  static extents lengths(const place& where) {
    return {where.rank == where.root ? where.count : 0, part_of(where, where.rank).count, 0};
  }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return input_of<Element, Op>(where.root, part_of(where, where.rank).first + index, where.iteration);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::scatter(comm, given.in, given.out, given.root, algorithm);
  }
};

}  // namespace perf
