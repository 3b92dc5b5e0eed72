// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

namespace tutti {

// What a caller wants of the bits of a reduction, as an option of the call: checked while compiling, refused where the
// algorithm can't promise it.

/// The same bits on every run with the same number of ranks, the same algorithm and length. So do all of tutti's own.
struct run_to_run_request {
  using tutti_determinism = run_to_run_request;
};
/// Besides, an element's bits don't depend on how many others are reduced with it, nor where it stands among them: a
/// tensor alone and the same tensor in a bucket give the same.
struct size_invariant_request {
  using tutti_determinism = size_invariant_request;
};
/// Any order will do, also a new one for each run.
struct not_guaranteed_request {
  using tutti_determinism = not_guaranteed_request;
};

inline constexpr run_to_run_request run_to_run;
inline constexpr size_invariant_request size_invariant;
inline constexpr not_guaranteed_request not_guaranteed;

template <class Type>
concept determinism_request = requires {
  typename Type::tutti_determinism;
};

namespace detail {

template <class Algorithm>
constexpr bool folds_all_alike() {
  if constexpr (requires {
                  { Algorithm::same_for_all_sizes } -> std::convertible_to<bool>;
                })
    return Algorithm::same_for_all_sizes;
  else
    return false;
}
template <class Algorithm>
constexpr bool repeats_itself() {
  if constexpr (requires {
                  { Algorithm::same_for_all_runs } -> std::convertible_to<bool>;
                })
    return Algorithm::same_for_all_runs;
  else
    return true;
}

/// An algorithm folds every element in one order where it says `same_for_all_sizes = true` (its proof looks), and on
/// every run unless it says `same_for_all_runs = false`.
template <class Algorithm, class Request>
inline constexpr bool grants = !std::same_as<Request, size_invariant_request> || folds_all_alike<Algorithm>();
template <class Algorithm>
inline constexpr bool grants<Algorithm, run_to_run_request> = repeats_itself<Algorithm>();

}  // namespace detail
}  // namespace tutti
