// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../case.hpp"

#include <tutti/algorithm/native.hpp>
#include <tutti/collective/barrier.hpp>

#include <type_traits>

namespace perf {

struct barrier_case {
  static constexpr const char* name = "barrier";
  static constexpr bool reduces = false, rooted = false;
  static constexpr placing in_place = placing::either;
  static constexpr double bus_factor(int) { return 0; }
  static constexpr const char* bus_rule = "0: it moves no data";
  static constexpr bool native_too = true;

  template <class Element, class Op, class Communicator, class Algorithm>
  static void call(Communicator& comm, const operands<Element>&, Algorithm) {
    if constexpr (std::is_same_v<Algorithm, tutti::native>)
      tutti::barrier(comm, tutti::native{});
    else
      tutti::barrier(comm);
  }
};

}  // namespace perf
