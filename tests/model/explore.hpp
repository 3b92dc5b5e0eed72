// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <unordered_set>
#include <string>
#include <vector>

namespace model {

/// The memory policy of a checker: one step touches one flag, and the explorer tries every order of steps.
struct sequential_memory {
  static std::uint64_t observe_ordered(const std::uint64_t& from) { return from; }
  static void publish(std::uint64_t& to, std::uint64_t value) { to = value; }
};

struct outcome {
  std::size_t states = 0;
  bool corrupt = false;   // some rank read what wasn't meant for it
  bool deadlock = false;  // some rank can't go on, and nobody can help
};

/// Visits every state that any interleaving of the ranks' steps reaches. A State is plain words (compared as
/// bytes); step(rank) does one step of a rank and is false where the rank saw wrong data; done(rank) ends it.
template <class State>
outcome explore(const State& start, int ranks) {
  static_assert(std::has_unique_object_representations_v<State> && std::is_trivially_copyable_v<State>);
  const auto key = [](const State& state) { return std::string(reinterpret_cast<const char*>(&state), sizeof state); };
  outcome found;
  std::unordered_set<std::string> seen{key(start)};
  std::vector<State> open{start};
  while (!open.empty()) {
    const State now = open.back();
    open.pop_back();
    ++found.states;
    bool moved = false, finished = true;
    for (int rank = 0; rank < ranks; ++rank) {
      if (now.done(rank)) continue;
      finished = false;
      State next = now;
      if (!next.step(rank)) {
        found.corrupt = true;
        return found;
      }
      if (std::memcmp(&next, &now, sizeof next) == 0) continue;  // it polled in vain
      moved = true;
      if (seen.insert(key(next)).second) open.push_back(next);
    }
    if (!moved && !finished) found.deadlock = true;
  }
  return found;
}

}  // namespace model
