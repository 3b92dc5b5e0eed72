// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/partition.hpp>
#include <tutti/schedule/transfer.hpp>

#include <cstddef>

namespace tutti::detail {

/// Where the three forms of a rank's blocks lie during one collective of count elements.
template <class Element, class Accumulator>
struct storage {
  const Element* input = nullptr;  // count elements
  Accumulator* partial = nullptr;  // count accumulators; may be the result
  Element* result = nullptr;       // the elements from result_first on; null where this rank gets none
  std::size_t result_first = 0;
  std::size_t count = 0;

  const void* read(form what, std::size_t first) const {
    if (what == form::input) return input + first;
    if (what == form::partial) return partial + first;
    return result + (first - result_first);
  }
  void* write(form what, std::size_t first) const {
    if (what == form::partial) return partial + first;
    return result + (first - result_first);
  }
  static constexpr std::size_t bytes_of(form what) {
    return what == form::partial ? sizeof(Accumulator) : sizeof(Element);
  }
};

/// True where partial blocks may lie in the result: see schedule::scratch. symbolic_run proves what this decides.
template <schedule Schedule>
constexpr bool partial_in_result(bool same_type, bool whole_result, bool in_place) {
  return same_type && whole_result && (!in_place || !Schedule::scratch);
}

}  // namespace tutti::detail
