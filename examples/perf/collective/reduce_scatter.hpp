// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/reduce_scatter.hpp>

namespace perf {

struct reduce_scatter_case {
  using tag = tutti::collective::reduce_scatter;
  static constexpr const char* name = "reduce_scatter";
  static constexpr bool reduces = true, rooted = false;
  static constexpr placing in_place = placing::never;
  /// bytes is the whole input of a rank, of which it must send all but its own shard.
  static constexpr double bus_factor(int ranks) { return double(ranks - 1) / ranks; }
  static constexpr const char* bus_rule = "(n-1)/n";

  static extents lengths(const place& where) { return {where.count, part_of(where, where.rank).count, 0}; }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return folded<Element, Op>(where, part_of(where, where.rank).first + index);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::reduce_scatter(comm, given.in, given.out, Op{}, algorithm);
  }
};

}  // namespace perf
