// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this schedule is wrong; read flaw, size, root, rank, round and block in proof<...>
// expect: proof<tutti::flaw::out_of_rank_order, 2, 0, -1, -1, -1>
// expect: orderly_ring
#include <tutti/algorithm/ring.hpp>
#include <tutti/verify.hpp>

// A ring folds each block in a cyclic order, whatever it claims.
struct orderly_ring {
  static constexpr const char* name = "orderly_ring";
#if defined(TUTTI_MUST_BUILD)
  static constexpr bool rank_order = false;
#else
  static constexpr bool rank_order = true;
#endif
  static constexpr auto schedule(tutti::collective::all_reduce call) { return tutti::ring::schedule(call); }
  static constexpr auto costs(tutti::collective::all_reduce call, int size, int root) {
    return tutti::ring::costs(call, size, root);
  }
};

static_assert(tutti::verify<orderly_ring, tutti::collective::all_reduce>);
