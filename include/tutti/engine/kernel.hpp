// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/isa.hpp>

namespace tutti::detail {

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

template <class Loop>
void run_kernel(const Loop& loop) {
  run_kernel(isa_here(), loop);
}

}  // namespace tutti::detail
