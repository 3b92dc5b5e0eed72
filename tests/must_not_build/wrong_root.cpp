// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: proof<tutti::flaw::undefined_sent, 2, 1, 0, 0, 0>
#include <tutti/algorithm/ring.hpp>
#include <tutti/verify.hpp>

// A chain written for root 0 that forgets rotate_root: any other root has its message at the wrong end.
struct from_rank_zero {
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int size, int) { return size - 1; }
  static constexpr int transfers(tutti::place, int) { return 1; }
  static constexpr tutti::transfer at(tutti::place here, int round, int) {
    if (here.rank == round) return tutti::send(round + 1, {0}, tutti::form::final);
    return here.rank == round + 1 ? tutti::store(round, {0}, tutti::form::final) : tutti::nothing();
  }
};
struct chain {
  static constexpr const char* name = "chain";
  static constexpr bool rank_order = true;
#if defined(TUTTI_MUST_BUILD)
  static constexpr auto schedule(tutti::collective::broadcast) { return tutti::rotate_root<from_rank_zero>{}; }
#else
  static constexpr auto schedule(tutti::collective::broadcast) { return from_rank_zero{}; }
#endif
  static constexpr tutti::cost costs(tutti::collective::broadcast, int size, int) { return {size - 1, 1}; }
};

static_assert(tutti::verify<chain, tutti::collective::broadcast, 2>);
