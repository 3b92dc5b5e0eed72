// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>

#include <sched.h>

namespace tutti::detail {

/// How many CPUs this process may really use: its affinity, or its control group's quota where that is less.
inline int usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    long quota = 0, period = 0;
    if (std::fscanf(file, "%ld %ld", &quota, &period) == 2 && period > 0) {  // "max 100000" has no quota
      const long whole = (quota + period - 1) / period;
      if (whole >= 1 && whole < cpus) cpus = int(whole);
    }
    std::fclose(file);
  }
  return cpus;
}

}  // namespace tutti::detail
