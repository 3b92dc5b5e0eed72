// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "calls.hpp"
#include "operators.hpp"
#include "trial.hpp"

#include <string>
#include <vector>

namespace conformance {

template <class Collective, class Case, class... Algorithms>
void fold_by(site& here, const std::vector<std::size_t>& sizes) {
  using type = typename Case::type;
  using op = decltype(Case::op());
  const auto rows = rows_by<Collective, type, op, Algorithms...>();
  for (const std::size_t n : sizes)
    for (const bool in_place : {false, true}) {
      if (in_place && !folds_in_place<Collective>) continue;
      const seat at{here.rank(), here.size(), Collective::rooted ? int(n) % here.size() : 0};
      const auto given = fold_job<Collective, Case>(at, n, in_place, n);
      for (const std::size_t shift : {0, 1}) try_rows(here, rows, given, shift, label<type>, Case::op(), Case::name);
    }
}

/// An operator and a type by an algorithm of each kind: what they share is compiled once.
template <class Case>
void fold_some(site& here, const std::vector<std::size_t>& sizes) {
  using tutti::automatic, tutti::direct, tutti::native, tutti::one_phase, tutti::ring, tutti::tree;
  if constexpr (tutti::is_commutative<decltype(Case::op())>)
    fold_by<tag::all_reduce, Case, automatic, direct, one_phase, ring, native>(here, sizes);
  else
    fold_by<tag::all_reduce, Case, automatic, direct, one_phase, tree>(here, sizes);
  fold_by<tag::reduce, Case, automatic>(here, sizes);
  fold_by<tag::reduce_scatter, Case, automatic, native>(here, sizes);
  fold_by<tag::scan, Case, automatic>(here, sizes);
  fold_by<tag::exclusive_scan, Case, automatic>(here, sizes);
}

/// By half of the kernels, for what differs little from another operator or type that goes by all of them.
template <class Case>
void fold_few(site& here, const std::vector<std::size_t>& sizes) {
  fold_by<tag::all_reduce, Case, tutti::one_phase, tutti::ring, tutti::native>(here, sizes);
  fold_by<tag::reduce_scatter, Case, tutti::direct, tutti::native>(here, sizes);
}

inline const std::vector<std::size_t> some_sizes{0, 1, 2, 3, 1009, 4097, 300007};
inline const std::vector<std::size_t> few_sizes{0, 1, 3, 1009, 4097, 40009};
inline const std::vector<std::size_t> short_sizes{0, 1, 3, 1009};  // in pieces

}  // namespace conformance
