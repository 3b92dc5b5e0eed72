// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: sequence<First, Second> needs both to cut the same blocks
#include <tutti/algorithm/ring.hpp>
#include <tutti/algorithm/tree.hpp>
#include <tutti/verify.hpp>

// The first half cuts the vector into a block a rank, the second sends it whole.
struct patchwork {
  static constexpr const char* name = "patchwork";
  static constexpr bool rank_order = false;
#if defined(TUTTI_MUST_BUILD)
  using second = tutti::detail::ring_all_gather;
#else
  using second = tutti::detail::two_tree_broadcast;
#endif
  static constexpr auto schedule(tutti::collective::all_reduce) {
    return tutti::sequence<tutti::detail::ring_reduce_scatter, second>{};
  }
  static constexpr tutti::cost costs(tutti::collective::all_reduce, int size, int) {
    return {2 * (size - 1), 2 * (size - 1)};
  }
};

static_assert(tutti::verify<patchwork, tutti::collective::all_reduce>);
