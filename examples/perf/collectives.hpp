// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "buffers.hpp"
#include "offer.hpp"
#include "session.hpp"

#include <string_view>
#include <vector>

namespace perf {

/// A collective as the program sees it.
struct collective {
  const char* name;
  const char* bus_rule;
  bool reduces;
  bool rooted;
  placing in_place;
  bool can_be_planned;
  offer own;                                                    ///< of shm and threads, or of nccl; see launch.hpp
  bool (*in_full)(std::string_view type, std::string_view op);  ///< see types.hpp
  void (*run)(session&, const collective&);  ///< measures all sizes; collective over the session's ranks

  const offer& over(std::string_view transport) const {
    static constexpr offer none{[]() -> std::vector<const char*> { return {}; },
                                [](std::string_view, std::string_view) { return false; }, "nothing",
                                [](const options&, std::string_view) -> std::vector<candidate> { return {}; }};
    if (!has_own_offers(transport)) return own;
    const auto& offers = offers_over(transport);
    const auto found = offers.find(name);
    return found == offers.end() ? none : found->second;
  }
};

// Each is a struct in collective/<name>.hpp, see case.hpp; a new one gets its name here and in the list.
extern const collective all_reduce, reduce, broadcast, reduce_scatter, all_gather, gather, scatter, all_to_all, scan,
    exclusive_scan, send_recv, barrier;

inline const collective* const every_collective[] = {&all_reduce, &reduce,         &broadcast, &reduce_scatter,
                                                     &all_gather, &gather,         &scatter,   &all_to_all,
                                                     &scan,       &exclusive_scan, &send_recv, &barrier};

}  // namespace perf
