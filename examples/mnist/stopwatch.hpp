// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

namespace mnist {

/// Adds up the seconds between start() and stop().
class stopwatch {
 public:
  void start() { started_ = clock::now(); }
  void stop() { total_ += clock::now() - started_; }
  double seconds() const { return std::chrono::duration<double>(total_).count(); }
  /// Including the time since start().
  double running_seconds() const { return std::chrono::duration<double>(total_ + (clock::now() - started_)).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point started_{};
  clock::duration total_{};
};

}  // namespace mnist
