// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/gather.hpp>

namespace perf {

struct gather_case {
  using tag = tutti::collective::gather;
  static constexpr const char* name = "gather";
  static constexpr bool reduces = false, rooted = true;
  static constexpr placing in_place = placing::never;
  /// bytes is the whole output of the root, of which it must receive all but its own shard.
  static constexpr double bus_factor(int ranks) { return double(ranks - 1) / ranks; }
  static constexpr const char* bus_rule = "(n-1)/n";

  static extents lengths(const place& where) {
    return {part_of(where, where.rank).count, where.rank == where.root ? where.count : 0, 0};
  }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return gathered<Element>(where, index);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    tutti::gather(comm, given.in, given.out, given.root, algorithm);
  }
};

}  // namespace perf
