// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that don't sum exactly: the same bits on all ranks and in every run, and where the order is promised, those of
// a loop over the ranks.
#include "setting.hpp"
#include "tables.hpp"
#include "trial.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace conformance {

namespace {

/// Sums of these depend on the order.
struct rough_case {
  using type = float;
  static float value(int rank, std::size_t i, std::uint64_t salt) {
    const std::uint64_t bits = chance(rank, i, salt);
    const float fraction = float(int(bits % 16777213)) / 16777216.0f - 0.5f;
    return std::ldexp(fraction, int((bits >> 40) % 12));
  }
  static float expected(int ranks, std::size_t i, std::uint64_t salt) {
    float total = value(0, i, salt);
    for (int rank = 1; rank < ranks; ++rank) total += value(rank, i, salt);
    return total;
  }
};

/// NaNs of the pattern that stands for an empty place, from one rank.
struct nan_case {
  using type = float;
  static float value(int rank, std::size_t i, std::uint64_t) {
    return rank == 1 && i % 3 != 0 ? std::bit_cast<float>(0xFFFAFFFAu) : float(i % 5);
  }
  static float expected(int ranks, std::size_t i, std::uint64_t salt) { return value(ranks > 1 ? 1 : 0, i, salt); }
};

/// One after the other from rank 0 on. What automatic takes does, where it is one of these two.
bool in_rank_order(site& here, const char* algorithm) {
  return std::strcmp(algorithm, "direct") == 0 || std::strcmp(algorithm, "one_phase") == 0 ||
         (std::strcmp(algorithm, "automatic") == 0 && here.on().near() != nullptr);
}

template <class Collective>
void folds_alike(site& here, const std::vector<std::size_t>& sizes) {
  constexpr bool everywhere = std::is_same_v<Collective, tag::all_reduce>;
  for (const std::size_t n : sizes)
    for (const auto& by : sum_rows<Collective>()) {
      if (std::strcmp(by.algorithm, "native") == 0) continue;  // NCCL's own promise
      here.clear();
      const seat at{here.rank(), here.size(), here.size() - 1};
      trial<float> one(here, fold_job<Collective, rough_case>(at, n, false, n));
      std::uint64_t prints[3];
      for (std::uint64_t& print : prints) {
        one.fill();
        one.call(by, tutti::sum{});
        here.on().synchronize();
        print = one.print();
      }
      check(prints[0] == prints[1] && prints[0] == prints[2], "%s by %s, rank %d, n %zu: another run, other bits",
            by.collective, by.algorithm, here.rank(), n);
      if (in_rank_order(here, by.algorithm)) one.verify(by.collective, by.algorithm, label<float>, "sum in rank order");
      if constexpr (everywhere)
        for (const std::uint64_t theirs : here.everyones(prints[0]))
          check(theirs == prints[0], "%s by %s, rank %d, n %zu: other bits than another rank", by.collective,
                by.algorithm, here.rank(), n);
    }
}

void nans_arrive(site& here) {
  const std::size_t n = 1009;
  for (const auto& by : sum_rows<tag::all_reduce>()) {
    if (std::strcmp(by.algorithm, "native") == 0) continue;
    here.clear();
    trial<float> one(here, fold_job<tag::all_reduce, nan_case>({here.rank(), here.size(), 0}, n, false, 0));
    one.call(by, tutti::sum{});
    here.on().synchronize();
    const auto found = one.output();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += std::isnan(found[i]) != (i % 3 != 0) ? 1 : 0;
    check(wrong == 0, "all_reduce by %s, rank %d: %zu NaNs lost or made", by.algorithm, here.rank(), wrong);
    const std::uint64_t print = one.print();
    for (const std::uint64_t theirs : here.everyones(print))
      check(theirs == print, "all_reduce by %s of NaNs, rank %d: other bits than another rank", by.algorithm,
            here.rank());
  }
}

void all_of(site& here, const std::vector<std::size_t>& sizes) {
  folds_alike<tag::all_reduce>(here, sizes);
  folds_alike<tag::reduce>(here, sizes);
  folds_alike<tag::reduce_scatter>(here, sizes);
  folds_alike<tag::scan>(here, sizes);
  folds_alike<tag::exclusive_scan>(here, sizes);
  nans_arrive(here);
}

}  // namespace

void order(const setting& how) {
  run_ranks(how, [](site& here) { all_of(here, {1, 3, 1009, 4097, 100003, 1048579}); });
  tutti::nccl::options in_pieces;
  in_pieces.push_bytes = 256;
  run_ranks(how, in_pieces, [](site& here) { all_of(here, {3, 1009}); });
}

}  // namespace conformance
