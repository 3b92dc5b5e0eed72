// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: proof<tutti::flaw::receive_without_send, 2, 0, 1, 0, 0>
#include <tutti/algorithm/aggregator.hpp>
#include <tutti/verify.hpp>

// The root serves all ranks but the last, which waits for ever: a hang, found by the compiler.
struct forgetful_spread {
#if defined(TUTTI_MUST_BUILD)
  static constexpr int forgotten = 0;
#else
  static constexpr int forgotten = 1;
#endif
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(tutti::place here, int) {
    return here.rank == here.root ? here.size - 1 - forgotten : 1;
  }
  static constexpr tutti::transfer at(tutti::place here, int round, int index) {
    return tutti::detail::spread_from_root::at(here, round, index);
  }
};

struct forgetful {
  static constexpr const char* name = "forgetful";
  static constexpr bool rank_order = true;
  static constexpr auto schedule(tutti::collective::broadcast) { return forgetful_spread{}; }
  static constexpr tutti::cost costs(tutti::collective::broadcast, int size, int) { return {1, size - 1}; }
};

static_assert(tutti::verify<forgetful, tutti::collective::broadcast, 2>);
