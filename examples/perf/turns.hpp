// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

namespace perf {

/// How two sides are measured in one run: in turns, each first in half of them.
struct turns {
  int stretch = 1;   // calls of one side before the other's
  int settling = 0;  // calls before those of each stretch, which don't count

  /// Two algorithms on one communicator share its stages, and what one leaves there in whose caches the other pays for:
  /// so they take turns in stretches, whose first calls don't count.
  static constexpr turns of(bool share_stages) { return share_stages ? turns{8, 2} : turns{}; }

  /// Calls ours(counts) and, where there are two sides, theirs(counts).
  template <class Ours, class Theirs>
  void take(int iterations, bool two_sides, Ours&& ours, Theirs&& theirs) const {
    bool ours_first = true;
    for (int done = 0; done < iterations; done += stretch, ours_first = !ours_first) {
      const auto run = [&, calls = std::min(stretch, iterations - done)](auto& side) {
        for (int i = -settling; i < calls; ++i) side(i >= 0);
      };
      if (ours_first || !two_sides) run(ours);
      if (two_sides) run(theirs);
      if (!ours_first && two_sides) run(ours);
    }
  }
};

}  // namespace perf
