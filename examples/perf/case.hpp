// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "buffers.hpp"
#include "oracle.hpp"
#include "types.hpp"

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace perf {

// What a collective tells of itself, in a struct:
//   name, reduces, rooted
//   tag             of tutti::collective; left out where tutti gives no choice of algorithms, but for native where
//                   there is native_too
//   in_place        whether it must, may or can't be in place
//   bus_factor(n)   busbw / algbw on n ranks, bus_rule the same in words: what the busiest link of the best algorithm
//                   must carry, in units of bytes
//   lengths(place)  extents of this rank's operands; place.count is what the column bytes means
//   expected<Element, Op>(place, index)           what the output must hold there; kernels call it too
//   call<Element, Op>(comm, operands, algorithm)  the call that is timed; comm may be what tutti::plan records with
// lengths and expected are left out where no data move. What isn't everywhere:
//   fitting(count, ranks)        the length that stands in for one which the collective can't have
//   issue(comm, operands)        issues and waits, where the call can't be recorded; then it can't be planned either
template <class Collective>
concept chooses_algorithm = requires {
  typename Collective::tag;
};

template <class Collective>
concept moves_data = requires {
  Collective::lengths(place{});
};

template <class Collective, class Communicator>
concept issues_itself = requires(Communicator& comm, const operands<std::uint32_t>& given) {
  Collective::issue(comm, given);
};

/// Calls use(std::type_identity<Element>, std::type_identity<Op>) for the pair of that name, where it is built. What is
/// only moved has void as its operator.
template <class Collective, class Use>
void with_pair(std::string_view type, std::string_view op, Use&& use) {
  if constexpr (Collective::reduces)
    with_reduction(type, op, use);
  else if constexpr (moves_data<Collective>)
    with_movement(type, [&](auto element) { use(element, std::type_identity<void>{}); });
  else
    use(std::type_identity<std::uint32_t>{}, std::type_identity<void>{});
}

/// Whether that pair has every algorithm; see types.hpp.
template <class Collective>
bool in_full(std::string_view type, std::string_view op) {
  bool full = false;
  with_pair<Collective>(type, op, [&]<class Element, class Op>(std::type_identity<Element>, std::type_identity<Op>) {
    full = !moves_data<Collective> || is_built_in_full<Element, Op>;
  });
  return full;
}

}  // namespace perf
