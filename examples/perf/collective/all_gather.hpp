// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/collective/all_gather.hpp>

namespace perf {

struct all_gather_case {
  using tag = tutti::collective::all_gather;
  static constexpr const char* name = "all_gather";
  static constexpr bool reduces = false, rooted = false;
  static constexpr placing in_place = placing::either;
  /// bytes is the whole output of a rank, of which it must receive all but its own shard.
  static constexpr double bus_factor(int ranks) { return double(ranks - 1) / ranks; }
  static constexpr const char* bus_rule = "(n-1)/n";

  static extents lengths(const place& where) {
    const part mine = part_of(where, where.rank);
    return {mine.count, where.count, mine.first};
  }

  template <class Element, class Op>
  TUTTI_FUN static Element expected(const place& where, std::size_t index) {
    return gathered<Element>(where, index);
  }

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>& given, Algorithm algorithm) {
    if (given.in_place)
      tutti::all_gather(comm, tutti::in_place(given.out), algorithm);
    else
      tutti::all_gather(comm, given.in, given.out, algorithm);
  }
};

}  // namespace perf
