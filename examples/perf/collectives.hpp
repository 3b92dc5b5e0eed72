// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "session.hpp"

#include <string_view>
#include <vector>

namespace perf {

/// Whether the result can replace the input.
enum class placing { never, either, always };

/// A collective as the program sees it.
struct collective {
  const char* name;
  const char* bus_rule;
  bool reduces;
  bool rooted;
  placing in_place;
  std::vector<const char*> (*algorithms)();  ///< those that serve it
  void (*run)(session&);                     ///< measures all sizes; collective over the session's ranks
};

// Each is a struct in collective/<name>.cpp, see measure.hpp; a new one gets its name here and in the list.
extern const collective all_reduce, reduce, broadcast, reduce_scatter, all_gather, barrier;

inline const collective* const every_collective[] = {&all_reduce,     &reduce,     &broadcast,
                                                     &reduce_scatter, &all_gather, &barrier};

}  // namespace perf
