// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tutti's other operators and those of users: functors, with state, with accumulators, of structs, in order.
#include "setting.hpp"
#include "some.hpp"
#include "tables.hpp"

namespace conformance {

std::vector<row<matrix, matrix_product>> product_rows() {
  return rows_by<tag::all_reduce, matrix, matrix_product, tutti::automatic, tutti::direct, tutti::one_phase,
                 tutti::tree>();
}

namespace {

void all_operators(site& here, const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& of_structs) {
  fold_some<max_case>(here, sizes);
  fold_few<min_case>(here, sizes);
  fold_few<prod_case>(here, sizes);
  if ((here.size() & (here.size() - 1)) == 0)  // NCCL multiplies by 1 / size
    fold_few<avg_case>(here, sizes);
  fold_few<scaled_case>(here, sizes);
  fold_some<mean_case>(here, sizes);
  fold_some<max_loc_case>(here, sizes);
  fold_some<matrix_case>(here, of_structs);
  fold_few<rows_case<bytes_3>>(here, of_structs);
  fold_few<rows_case<bytes_20>>(here, of_structs);
  if (!without_nccl)  // too long for loads and stores
    fold_some<rows_case<bytes_256>>(here, {0, 1, 3, 1009});
}

}  // namespace

void operators(const setting& how) {
  run_ranks(how, [](site& here) { all_operators(here, some_sizes, few_sizes); });
  if (without_nccl) return;  // what doesn't fit goes by messages
  tutti::nccl::options in_pieces;
  in_pieces.push_bytes = 256;
  run_ranks(how, in_pieces, [](site& here) { all_operators(here, short_sizes, short_sizes); });
}

}  // namespace conformance
