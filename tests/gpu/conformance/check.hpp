// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

namespace conformance {

/// What the ranks of a part count together; it lies in memory that all processes share.
struct tally {
  std::atomic<std::uint64_t> checks{0}, failures{0};
};
inline tally* counted = nullptr;

inline constexpr std::uint64_t most_printed = 12;  // of a part: the first say most

/// Counts, and says what failed. No exception: the ranks go on together.
__attribute__((format(printf, 2, 3))) inline bool check(bool holds, const char* format, ...) {
  counted->checks.fetch_add(1, std::memory_order_relaxed);
  if (holds) return true;
  if (counted->failures.fetch_add(1, std::memory_order_relaxed) >= most_printed) return false;
  char text[800];
  std::va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  std::fprintf(stderr, "  FAILED %s\n", text);
  return false;
}

/// What the test itself needs of CUDA; without it nothing can be said.
inline void must(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
}

}  // namespace conformance
