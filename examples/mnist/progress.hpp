// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace mnist {

/// A bar on stderr that is redrawn in place; nothing at all where stderr is a file or a pipe.
class progress_bar {
 public:
  /// `wanted` is false on all ranks but one.
  explicit progress_bar(bool wanted) : visible_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~progress_bar() { clear(); }
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// Is it time to draw again? Ten times a second is smooth and costs nothing.
  bool due() const { return visible_ && clock::now() - drawn_ >= std::chrono::milliseconds(100); }

  void draw(int epoch, int epochs, std::size_t done, std::size_t all, double images_per_second, double share) {
    constexpr std::size_t width = 30;
    const std::size_t full = all == 0 ? width : std::min(width, done * width / all);
    const std::string bar = std::string(full, '#') + std::string(width - full, '.');
    std::fprintf(stderr, "\r\033[Kepoch %d/%d [%s] %3zu %%  %.0f images/s  all_reduce %.1f %%", epoch, epochs,
                 bar.c_str(), all == 0 ? std::size_t{100} : done * 100 / all, images_per_second, 100 * share);
    std::fflush(stderr);
    drawn_ = clock::now();
    dirty_ = true;
  }

  /// Makes room for a line of text.
  void clear() {
    if (dirty_) std::fputs("\r\033[K", stderr);
    if (dirty_) std::fflush(stderr);
    dirty_ = false;
  }

 private:
  using clock = std::chrono::steady_clock;
  bool visible_;
  bool dirty_ = false;
  clock::time_point drawn_{};
};

}  // namespace mnist
