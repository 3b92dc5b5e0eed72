// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: proof<tutti::flaw::rounds_differ_from_cost, 3, 0, -1, -1, -1>
#include <tutti/algorithm/tree.hpp>
#include <tutti/verify.hpp>

// A tree takes ceil(log2 p) rounds, not floor.
struct hasty_tree {
  static constexpr const char* name = "hasty_tree";
  static constexpr bool rank_order = true;
  static constexpr auto schedule(tutti::collective::all_reduce call) { return tutti::tree::schedule(call); }
#if defined(TUTTI_MUST_BUILD)
  static constexpr int up(int size) { return tutti::log2_ceil(size); }
#else
  static constexpr int up(int size) { return tutti::log2_ceil(size + 1) - 1; }
#endif
  static constexpr tutti::cost costs(tutti::collective::all_reduce, int size, int) {
    return {2 * up(size), tutti::log2_ceil(size)};
  }
};

static_assert(tutti::verify<hasty_tree, tutti::collective::all_reduce>);
