// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: proof<tutti::flaw::undefined_sent, 2, 1, 0, 0, 0>
#include <tutti/algorithm/ring.hpp>
#include <tutti/verify.hpp>

// A chain written for root 0 that forgets rotate_root: any other root has its message at the wrong end.
struct chain {
  static constexpr const char* name = "chain";
  static constexpr bool rank_order = true;
#if defined(TUTTI_MUST_BUILD)
  static constexpr auto schedule(tutti::collective::broadcast) {
    return tutti::rotate_root<tutti::detail::chain_broadcast>{};
  }
#else
  static constexpr auto schedule(tutti::collective::broadcast) { return tutti::detail::chain_broadcast{}; }
#endif
  static constexpr tutti::cost costs(tutti::collective::broadcast, int size, int) { return {size - 1, 1}; }
};

static_assert(tutti::verify<chain, tutti::collective::broadcast, 2>);
