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
constexpr bool every_collective_proved = proved_if_served<Algorithm, tutti::collective::all_reduce>() &&
                                         proved_if_served<Algorithm, tutti::collective::reduce>() &&
                                         proved_if_served<Algorithm, tutti::collective::broadcast>() &&
                                         proved_if_served<Algorithm, tutti::collective::reduce_scatter>() &&
                                         proved_if_served<Algorithm, tutti::collective::all_gather>() &&
                                         proved_if_served<Algorithm, tutti::collective::gather>() &&
                                         proved_if_served<Algorithm, tutti::collective::scatter>() &&
                                         proved_if_served<Algorithm, tutti::collective::all_to_all>() &&
                                         proved_if_served<Algorithm, tutti::collective::scan>() &&
                                         proved_if_served<Algorithm, tutti::collective::exclusive_scan>();
