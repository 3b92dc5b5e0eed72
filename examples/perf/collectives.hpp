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
  bool can_be_planned;
  std::vector<const char*> (*algorithms)();                     ///< those that serve it
  bool (*in_full)(std::string_view type, std::string_view op);  ///< see types.hpp
  void (*run)(session&);  ///< measures all sizes; collective over the session's ranks
};

// Each is a struct in collective/<name>.cpp, see measure.hpp; a new one gets its name here and in the list.
extern const collective all_reduce, reduce, broadcast, reduce_scatter, all_gather, gather, scatter, all_to_all, scan,
    exclusive_scan, send_recv, barrier;

inline const collective* const every_collective[] = {&all_reduce, &reduce,         &broadcast, &reduce_scatter,
                                                     &all_gather, &gather,         &scatter,   &all_to_all,
                                                     &scan,       &exclusive_scan, &send_recv, &barrier};

}  // namespace perf
