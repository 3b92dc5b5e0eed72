// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Loops over elements, compiled once for each set of instructions and chosen at run time, with the operator inlined.
//
// All variants give the same bits. g++ would join a product and a sum into one rounding where the instructions allow
// it, so kernels say fp-contract=off; it vectorises a loop of unknown length at -O3 only, so they say that too. clang++
// takes contraction from the command line and inlines operators as they were written, so it gets no variant that can
// contract unless the whole build may: AVX2 without FMA.
// An unoptimised build has one variant, its own: nothing would be inlined into the others.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__CUDACC__)
#  if defined(__clang__)
#    define TUTTI_KERNEL(instructions) __attribute__((target(instructions), flatten, noinline))
#    define TUTTI_KERNEL_BASELINE __attribute__((flatten, noinline))
#    define TUTTI_KERNEL_VARIANTS 2
#  elif defined(__GNUC__)
#    define TUTTI_KERNEL(instructions) \
      __attribute__((target(instructions), optimize("O3", "fp-contract=off"), flatten, noinline))
#    define TUTTI_KERNEL_BASELINE __attribute__((optimize("O3", "fp-contract=off"), flatten, noinline))
#    define TUTTI_KERNEL_VARIANTS 3
#  endif
#endif
#if !defined(TUTTI_KERNEL_VARIANTS)
#  define TUTTI_KERNEL_BASELINE
#  define TUTTI_KERNEL_VARIANTS 1
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

template <class Loop>
TUTTI_KERNEL_BASELINE void run_baseline(const Loop& loop) {
  loop();
}
#if TUTTI_KERNEL_VARIANTS >= 2
template <class Loop>
TUTTI_KERNEL("avx2")
void run_avx2(const Loop& loop) {
  loop();
}
#endif
#if TUTTI_KERNEL_VARIANTS >= 3
template <class Loop>
TUTTI_KERNEL("avx512f,avx512vl,avx512bw,avx512dq,prefer-vector-width=512")
void run_avx512(const Loop& loop) {
  loop();
}
#endif

/// Runs loop(), compiled for these instructions, which this machine has.
template <class Loop>
void run_kernel(isa instructions, const Loop& loop) {
  switch (instructions) {
#if TUTTI_KERNEL_VARIANTS >= 3
    case isa::avx512:
      return run_avx512(loop);
#endif
#if TUTTI_KERNEL_VARIANTS >= 2
    case isa::avx2:
      return run_avx2(loop);
#endif
    default:
      return run_baseline(loop);
  }
}

inline isa isa_here() {
  static const isa here = best_isa();
  return here;
}
template <class Loop>
void run_kernel(const Loop& loop) {
  run_kernel(isa_here(), loop);
}

}  // namespace tutti::detail
