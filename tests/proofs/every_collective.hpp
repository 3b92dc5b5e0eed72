// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/verify.hpp>

/// An algorithm is proved when the schedule of every collective it serves is.
template <class Algorithm, class Collective>
constexpr bool proved_if_served() {
  if constexpr (requires { Algorithm::schedule(Collective{}); })
    return tutti::verify<Algorithm, Collective>;
  else
    return true;
}

template <class Algorithm>
constexpr bool prove_every_collective() {
  bool all = true;
  tutti::collective::for_each([&](auto tag) { all = all && proved_if_served<Algorithm, decltype(tag)>(); });
  return all;
}
template <class Algorithm>
constexpr bool every_collective_proved = prove_every_collective<Algorithm>();
