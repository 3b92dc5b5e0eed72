// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: proof<tutti::flaw::overwritten_while_sent, 2, 0, 0, 0, 0>
#include <tutti/algorithm/one_phase.hpp>
#include <tutti/verify.hpp>

// Two ranks swap their vectors and fold what comes over what they are still sending. once_sent() says that it must
// wait.
struct swap_and_fold {
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(tutti::place, int) { return 2; }
  static constexpr tutti::transfer at(tutti::place here, int, int index) {
    const int peer = 1 - here.rank;
    if (index == 0) return tutti::send(peer, {0}, tutti::form::input);
    const auto fold = here.rank == 0 ? tutti::fold_right(peer, {0}, tutti::form::input, tutti::form::input).finishing()
                                     : tutti::fold_left(peer, {0}, tutti::form::input, tutti::form::input).finishing();
#if defined(TUTTI_MUST_BUILD)
    return fold.once_sent();
#else
    return fold;
#endif
  }
};

struct swap {
  static constexpr const char* name = "swap";
  static constexpr bool rank_order = true;
  static constexpr auto schedule(tutti::collective::all_reduce) { return swap_and_fold{}; }
  static constexpr tutti::cost costs(tutti::collective::all_reduce, int, int) { return {1, 1}; }
};

static_assert(tutti::verify<swap, tutti::collective::all_reduce, 2>);
