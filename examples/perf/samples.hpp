// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "row.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace perf {

/// What was measured of one side, call by call, and how the machine did before and after each.
class samples {
 public:
  void add(double time, double pulse_before, double pulse_after) {
    times_.push_back(time);
    pulses_.push_back(std::max(pulse_before, pulse_after));
  }
  bool empty() const { return times_.empty(); }
  std::vector<double>& times() { return times_; }
  std::vector<double>& pulses() { return pulses_; }
  const std::vector<double>& pulses() const { return pulses_; }

  /// Where cores are near or far from each other changes by the second on a shared host, and moves every time by
  /// factors. So only samples taken in the state that most were taken in count: their pulse is within a third of the
  /// usual one.
  quantiles within(double usual) const {
    std::vector<double> kept;
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (usual <= 0 || (pulses_[i] <= usual * 4 / 3 && pulses_[i] >= usual * 3 / 4)) kept.push_back(times_[i]);
    if (kept.empty()) kept = times_;
    std::sort(kept.begin(), kept.end());
    return {quantile(kept, 0.5), quantile(kept, 0.1), quantile(kept, 0.9), double(kept.size()) / double(times_.size())};
  }

  /// Between the neighbours in proportion, so that the median of two is their mean.
  static double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * double(sorted.size() - 1);
    const auto below = std::size_t(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (at - double(below));
  }

 private:
  std::vector<double> times_, pulses_;
};

/// The median of all pulses.
inline double usual_pulse(const samples& ours, const samples& theirs) {
  std::vector<double> all = ours.pulses();
  all.insert(all.end(), theirs.pulses().begin(), theirs.pulses().end());
  std::sort(all.begin(), all.end());
  return all.empty() ? 0 : samples::quantile(all, 0.5);
}

}  // namespace perf
