// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of all number types.
#include "setting.hpp"
#include "some.hpp"

namespace conformance {

namespace {

void all_types(site& here, const std::vector<std::size_t>& sizes) {
  const auto sums = [&]<class Type>(Type) {
    fold_by<tag::all_reduce, sum_case<Type>, tutti::automatic, tutti::ring, tutti::native>(here, sizes);
    fold_by<tag::reduce, sum_case<Type>, tutti::automatic>(here, sizes);
    fold_by<tag::reduce_scatter, sum_case<Type>, tutti::automatic, tutti::native>(here, sizes);
  };
  sums(double{});
  sums(tutti::bfloat16{});
  sums(std::int8_t{});
  sums(std::int32_t{});
  fold_few<sum_case<tutti::float16>>(here, sizes);
  fold_few<sum_case<std::uint8_t>>(here, sizes);
  fold_few<sum_case<std::uint32_t>>(here, sizes);
  fold_few<sum_case<std::int64_t>>(here, sizes);
  fold_few<sum_case<std::uint64_t>>(here, sizes);
}

/// Integers of any bits, among them those that mark an empty place: rank 0 gives them, the others nothing.
struct marks_case {
  using type = std::uint32_t;
  static constexpr const char* name = "sum of any bits";
  static tutti::sum op() { return {}; }
  static type value(int rank, std::size_t i, std::uint64_t) { return rank == 0 && i % 2 == 0 ? 0xFFFAFFFAu : 0; }
  static type expected(int, std::size_t i, std::uint64_t) { return i % 2 == 0 ? 0xFFFAFFFAu : 0; }
};

}  // namespace

void numbers(const setting& how) {
  run_ranks(how, [](site& here) {
    all_types(here, some_sizes);
    fold_by<tag::all_reduce, marks_case, tutti::one_phase, tutti::ring>(here, {1, 3, 4, 1009});
  });
  tutti::nccl::options in_pieces;
  in_pieces.push_bytes = 256;
  run_ranks(how, in_pieces, [](site& here) { all_types(here, short_sizes); });
}

}  // namespace conformance
