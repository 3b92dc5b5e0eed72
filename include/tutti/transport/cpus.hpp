// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdio>

#include <sched.h>

namespace tutti::detail {

/// The processors that a thread may use: its affinity, and how many of them at a time its control group allows.
struct cpu_share {
  std::uint16_t count = 1, first = 0, quota = 0xffff;

  static cpu_share of_this_thread() {
    cpu_share mine;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
      mine.count = std::uint16_t(CPU_COUNT(&set));
      while (mine.first < CPU_SETSIZE - 1 && !CPU_ISSET(mine.first, &set)) ++mine.first;
    }
    if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
      long quota = 0, period = 0;
      if (std::fscanf(file, "%ld %ld", &quota, &period) == 2 && period > 0) {  // "max 100000" has no quota
        const long whole = (quota + period - 1) / period;
        if (whole >= 1 && whole < mine.quota) mine.quota = std::uint16_t(whole);
      }
      std::fclose(file);
    }
    return mine;
  }

  int usable() const { return count < quota ? count : quota; }
  std::uint64_t packed() const { return std::uint64_t(quota) << 32 | std::uint64_t(first) << 16 | count; }
  static cpu_share unpacked(std::uint64_t word) {
    return {std::uint16_t(word), std::uint16_t(word >> 16), std::uint16_t(word >> 32)};
  }
};

/// How many processors this process may really use.
inline int usable_cpus() { return cpu_share::of_this_thread().usable(); }

}  // namespace tutti::detail
