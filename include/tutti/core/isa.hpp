// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Loops over elements, compiled once for each set of instructions and chosen at run time, with the operator inlined.
//
// All variants give the same bits. g++ would join a product and a sum into one rounding where the instructions allow
// it, so kernels say fp-contract=off; it vectorises a loop of unknown length at -O3 only, so they say that too. clang++
// takes contraction from the command line and inlines operators as they were written, so it gets no variant that can
// contract unless the whole build may: AVX2 without FMA.
// Of a few elements, choosing and setting up vectors take longer than the work: TUTTI_KERNEL_SHORT is a plain loop.
// An unoptimised build has one variant, its own: nothing would be inlined into the others.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__CUDACC__)
#  if defined(__clang__)
#    define TUTTI_KERNEL(instructions) __attribute__((target(instructions), flatten, noinline))
#    define TUTTI_KERNEL_BASELINE __attribute__((flatten, noinline))
#    define TUTTI_KERNEL_SHORT TUTTI_KERNEL_BASELINE
#    define TUTTI_KERNEL_VARIANTS 2
#  elif defined(__GNUC__)
#    define TUTTI_KERNEL(instructions) \
      __attribute__((target(instructions), optimize("O3", "fp-contract=off"), flatten, noinline))
#    define TUTTI_KERNEL_BASELINE __attribute__((optimize("O3", "fp-contract=off"), flatten, noinline))
#    define TUTTI_KERNEL_SHORT __attribute__((optimize("O2", "fp-contract=off"), flatten, noinline))
#    define TUTTI_KERNEL_VARIANTS 3
#  endif
#endif
#if !defined(TUTTI_KERNEL_VARIANTS)
#  define TUTTI_KERNEL_BASELINE
#  define TUTTI_KERNEL_SHORT
#  define TUTTI_KERNEL_VARIANTS 1
#endif

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#  include <cpuid.h>
#endif

namespace tutti::detail {

enum class isa { baseline, avx2, avx512 };

/// The best that is compiled in and that this machine has.
inline isa best_isa() {
#if TUTTI_KERNEL_VARIANTS >= 3
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq"))
    return isa::avx512;
#endif
#if TUTTI_KERNEL_VARIANTS >= 2
  if (__builtin_cpu_supports("avx2")) return isa::avx2;
#endif
  return isa::baseline;
}

inline isa isa_here() {
  static const isa here = best_isa();
  return here;
}

/// rep movsb is more than a loop of single bytes (ERMS).
inline bool moves_bytes_at_once() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
  static const bool here = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 9 & 1) != 0;
  }();
  return here;
#else
  return false;
#endif
}

}  // namespace tutti::detail
