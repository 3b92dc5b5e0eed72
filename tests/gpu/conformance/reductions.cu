// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What folds, by all algorithms in all chunkings: sums of floats.
#include "calls.hpp"
#include "operators.hpp"
#include "setting.hpp"
#include "tables.hpp"
#include "trial.hpp"

namespace conformance {

template <class Collective>
std::vector<row<float, tutti::sum>> sum_rows() {
  return rows_by_all<Collective, float, tutti::sum>();
}
template std::vector<row<float, tutti::sum>> sum_rows<tag::all_reduce>();
template std::vector<row<float, tutti::sum>> sum_rows<tag::reduce>();
template std::vector<row<float, tutti::sum>> sum_rows<tag::reduce_scatter>();
template std::vector<row<float, tutti::sum>> sum_rows<tag::reduce_scatter_v>();
template std::vector<row<float, tutti::sum>> sum_rows<tag::scan>();
template std::vector<row<float, tutti::sum>> sum_rows<tag::exclusive_scan>();

namespace {

template <class Collective>
void by_all(site& here, const std::vector<std::size_t>& sizes) {
  using sums = sum_case<float>;
  const auto rows = sum_rows<Collective>();
  for (const std::size_t n : sizes)
    for (const int root : roots(Collective::rooted, here.size(), n))
      for (const bool in_place : {false, true}) {
        if (in_place && !folds_in_place<Collective>) continue;
        const seat at{here.rank(), here.size(), root};
        const auto given = fold_job<Collective, sums>(at, n, in_place, n + std::size_t(root));
        for (const chunks chunking : {chunks::usual, chunks::whole, chunks::of_1000_bytes, chunks::uniform_1000_bytes,
                                      chunks::of_64_KiB, chunks::three}) {
          const bool is_short = n <= 5000;
          const bool of_few = chunking == chunks::of_1000_bytes || chunking == chunks::uniform_1000_bytes;
          if (chunking != chunks::usual && (n < 1000 || (of_few && !is_short))) continue;
          chosen_chunks = chunking;
          try_rows(here, rows, given, 0, label<float>, tutti::sum{}, sums::name);
        }
        chosen_chunks = chunks::usual;
        try_rows(here, rows, given, 1, label<float>, tutti::sum{}, sums::name);
      }
}

void all_of(site& here, const std::vector<std::size_t>& sizes) {
  by_all<tag::all_reduce>(here, sizes);
  by_all<tag::reduce>(here, sizes);
  by_all<tag::reduce_scatter>(here, sizes);
  by_all<tag::reduce_scatter_v>(here, sizes);
  by_all<tag::scan>(here, sizes);
  by_all<tag::exclusive_scan>(here, sizes);
}

}  // namespace

void reductions(const setting& how) {
  run_ranks(how, [](site& here) { all_of(here, {0, 1, 2, 3, 5, 1009, 4095, 4096, 4097, 262144, 1048579}); });
  tutti::nccl::options in_pieces;
  in_pieces.push_bytes = 256;
  run_ranks(how, in_pieces, [](site& here) { all_of(here, {0, 1, 3, 1009, 4097}); });
}

}  // namespace conformance
