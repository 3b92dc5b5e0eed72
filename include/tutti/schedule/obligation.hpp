// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

#include <concepts>

namespace tutti::detail {

// What each collective gives to its ranks and owes them: the contract that a proof holds a schedule to.

/// No value.
inline constexpr int nothing_held = -1;

/// What a rank holds of a block in a form before the first round: the number of the rank whose value it is (to be
/// folded), or the number of the datum (to be moved).
template <collective::tag Collective>
constexpr int given(place here, int block, form what) {
  if constexpr (Collective::reduces)
    return what == form::input ? here.rank : nothing_held;
  else if constexpr (std::derived_from<Collective, collective::broadcast>)
    return what == form::final && here.rank == here.root ? here.root : nothing_held;
  else if constexpr (std::derived_from<Collective, collective::all_gather>)
    return what == form::final && here.rank == block ? block : nothing_held;
  else if constexpr (std::derived_from<Collective, collective::gather>)
    return what == form::input && here.rank == block ? block : nothing_held;
  else if constexpr (std::derived_from<Collective, collective::scatter>)
    return what == form::input && here.rank == here.root ? block : nothing_held;
  else if constexpr (std::derived_from<Collective, collective::all_to_all>)
    return what == form::input ? here.rank * here.size + here.wrap(here.rank + block) : nothing_held;
  else
    return nothing_held;
}

/// True where the collective gives this rank this block.
template <collective::tag Collective>
constexpr bool owed(place here, int block) {
  if constexpr (std::derived_from<Collective, collective::reduce> || std::derived_from<Collective, collective::gather>)
    return here.rank == here.root;
  else if constexpr (std::derived_from<Collective, collective::reduce_scatter> ||
                     std::derived_from<Collective, collective::scatter>)
    return block == here.rank;
  else if constexpr (std::derived_from<Collective, collective::exclusive_scan>)
    return here.rank != 0;
  else
    return true;
}

/// Which datum an owed block must be, where nothing is folded.
template <collective::tag Collective>
constexpr int due(place here, int block) {
  if constexpr (std::derived_from<Collective, collective::all_to_all>)
    return here.wrap(here.rank - block) * here.size + here.rank;
  else
    return Collective::per_rank ? block : here.root;
}

/// How many ranks, from 0 on, are folded into what this rank gets.
template <collective::tag Collective>
TUTTI_FUN constexpr int contributions(int rank, int size) {
  if constexpr (std::derived_from<Collective, collective::exclusive_scan>)
    return rank;
  else
    return Collective::prefix ? rank + 1 : size;
}

}  // namespace tutti::detail
