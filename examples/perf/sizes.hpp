// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace perf {

/// From first to last bytes, each step factor times the one before.
struct size_range {
  std::size_t first = 8;
  std::size_t last = std::size_t(64) << 20;
  std::size_t factor = 2;

  /// The numbers of elements to measure: sizes cut to whole elements, at least one, each number once.
  std::vector<std::size_t> counts(std::size_t element_bytes) const {
    std::vector<std::size_t> result;
    for (std::size_t bytes = first;; bytes *= factor) {
      const std::size_t count = std::max<std::size_t>(bytes / element_bytes, 1);
      if (result.empty() || result.back() != count) result.push_back(count);
      if (bytes > last / factor) return result;
    }
  }
};

/// Iterations where none are asked for: enough for a median of small calls, few enough of large ones that two cores get
/// through a default run in less than a minute. A function of the size alone, so that all ranks agree.
inline int iterations_for(std::size_t bytes) {
  constexpr std::size_t volume = std::size_t(512) << 20;
  return int(std::clamp<std::size_t>(volume / std::max<std::size_t>(bytes, 1), 10, 1000));
}
inline int warmup_for(int iterations) { return 1 + iterations / 10; }

}  // namespace perf
