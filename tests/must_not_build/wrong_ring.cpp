// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this schedule is wrong; read flaw, size, root, rank, round and block in proof<...>
// expect: proof<tutti::flaw::blocks_disagree, 2, 0, 0, 0, 1>
// expect: wrong_ring
#include <tutti/algorithm/ring.hpp>
#include <tutti/verify.hpp>

// A ring that sends the right block, while its reader expects the neighbour of that: one block index is off.

#if defined(TUTTI_MUST_BUILD)
constexpr int off_by = 0;
#else
constexpr int off_by = 1;
#endif

struct wrong_reduce_scatter {
  static constexpr bool scratch = false;
  static constexpr int blocks(int size) { return size; }
  static constexpr int rounds(int size, int) { return size - 1; }
  static constexpr int transfers(tutti::place, int) { return 2; }
  static constexpr tutti::transfer at(tutti::place here, int round, int index) {
    const auto travels = round == 0 ? tutti::form::input : tutti::form::partial;
    if (index == 0) return tutti::send(here.next(), {here.wrap(here.rank - round - 1)}, travels);
    return tutti::fold_left(here.previous(), {here.wrap(here.rank - round - 2 + off_by)}, travels, tutti::form::input)
        .finishing_if(round == here.size - 2);
  }
};

struct wrong_ring {
  static constexpr const char* name = "wrong_ring";
  static constexpr bool rank_order = false;
  static constexpr auto schedule(tutti::collective::all_reduce) {
    return tutti::sequence<wrong_reduce_scatter, tutti::detail::ring_all_gather>{};
  }
  static constexpr tutti::cost costs(tutti::collective::all_reduce, int size, int) {
    return {2 * (size - 1), 2 * (size - 1)};
  }
};

static_assert(tutti::verify<wrong_ring, tutti::collective::all_reduce>);
