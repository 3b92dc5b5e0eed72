// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What programs share that measure by hand what the machine allows: nothing of the library.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <sys/mman.h>

namespace by_hand {

inline double now_us() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) * 1e6 + double(time.tv_nsec) * 1e-3;
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#endif
static void
add(const float* left, const float* right, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = left[i] + right[i];
}

/// How long the shortest of a few meetings takes, in nanoseconds: as meeting::pulse.
template <class Meet>
double pulse(Meet meet) {
  double shortest = 1e18;
  for (int i = 0; i < 4; ++i) {
    const double start = now_us();
    meet();
    const double time = (now_us() - start) * 1e3;
    if (time < shortest) shortest = time;
  }
  return shortest;
}

inline void* shared_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    std::exit(1);
  }
  return memory;
}

}  // namespace by_hand
