// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this schedule is wrong; read flaw, size, root, rank, round and block in proof<...>
// expect: proof<tutti::flaw::volume_differs_from_cost, 2, 0, -1, -1, -1>
// expect: modest_ring
#include <tutti/algorithm/ring.hpp>
#include <tutti/verify.hpp>

// The rounds are right, the volume is half the truth.
struct modest_ring {
  static constexpr const char* name = "modest_ring";
  static constexpr bool rank_order = false;
  static constexpr auto schedule(tutti::collective::all_reduce call) { return tutti::ring::schedule(call); }
#if defined(TUTTI_MUST_BUILD)
  static constexpr tutti::cost costs(tutti::collective::all_reduce, int size, int) {
    return {2 * (size - 1), 2 * (size - 1)};
  }
#else
  static constexpr tutti::cost costs(tutti::collective::all_reduce, int size, int) {
    return {2 * (size - 1), size - 1};
  }
#endif
};

static_assert(tutti::verify<modest_ring, tutti::collective::all_reduce>);
