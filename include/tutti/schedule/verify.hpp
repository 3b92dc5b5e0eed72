// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/determinism.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/symbolic_run.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {

/// Runs the schedule that Algorithm has for Collective symbolically, for one size and root, in place and
/// out of place, and compares it with what the algorithm claims: rank order, rounds, volume. Works while
/// compiling and at run time. size >= 2.
template <class Algorithm, collective::tag Collective>
constexpr verdict check_schedule(int size, int root = 0) {
  using Schedule = decltype(Algorithm::schedule(Collective{}));
  verdict result = detail::symbolic_run<Schedule, Collective>(size, root, false).run();
  if (result && Collective::reduces && !Collective::per_rank) {
    const verdict in_place = detail::symbolic_run<Schedule, Collective>(size, root, true).run();
    if (!in_place) result = in_place;
  }
  const auto blame = [&](flaw what) {
    result.found = what;
    result.rank = result.round = result.block = -1;
    return result;
  };
  if (!result) return result;
  if (Algorithm::rank_order && !result.rank_order) return blame(flaw::out_of_rank_order);
  if (Collective::reduces && detail::folds_all_alike<Algorithm>() && !result.same_for_all_blocks)
    return blame(flaw::order_differs_by_block);
  const cost claimed = Algorithm::costs(Collective{}, size, root);
  if (claimed.rounds != result.measured.rounds) return blame(flaw::rounds_differ_from_cost);
  if (claimed.sent_blocks != result.measured.sent_blocks) return blame(flaw::volume_differs_from_cost);
  return result;
}

namespace detail {

/// A failing proof names its flaw in the arguments of this type: that is all C++20 can print.
template <flaw Flaw, int Size, int Root, int Rank, int Round, int Block>
struct proof {
  static_assert(Flaw == flaw::none,
                "tutti: this schedule is wrong; read flaw, size, root, rank, round and block in proof<...>");
  static constexpr bool holds = Flaw == flaw::none;
};

/// From the smallest case upwards, so that the first flaw is the simplest one; nothing is proved behind it.
template <class Algorithm, class Collective, int Max_size, int Size = 2, int Root = 0>
constexpr bool proved_up_to() {
  if constexpr (Size > Max_size) {
    return true;
  } else {
    constexpr verdict found = check_schedule<Algorithm, Collective>(Size, Root);
    if constexpr (found.found != flaw::none)
      return proof<found.found, Size, Root, found.rank, found.round, found.block>::holds;
    else if constexpr (Collective::rooted && Root + 1 < Size)
      return proved_up_to<Algorithm, Collective, Max_size, Size, Root + 1>();
    else
      return proved_up_to<Algorithm, Collective, Max_size, Size + 1>();
  }
}

}  // namespace detail

/// static_assert(tutti::verify<my_ring, tutti::collective::all_reduce>);
/// Proves a schedule for every size from 2 to Max_size and every root, while it compiles: sends match
/// receives, nothing undefined is sent, every contribution arrives exactly once (in ascending rank order
/// where claimed), all ranks evaluate the same expression, nothing is overwritten while it is sent, rounds
/// and volume are the documented ones. A flaw stops the build and names itself, size, root, rank, round, block.
template <class Algorithm, collective::tag Collective, int Max_size = 8>
inline constexpr bool verify = detail::proved_up_to<Algorithm, Collective, Max_size>();

}  // namespace tutti
