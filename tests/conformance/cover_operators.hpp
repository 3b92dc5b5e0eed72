// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Every operator in every reduction: tutti's own, those of <functional>, those that keep rank order, and those
// whose accumulator is another type.

#include "operators.hpp"
#include "trial.hpp"

namespace conformance {

template <class Case, class Type, class Communicator>
void cover_operator(Communicator& comm) {
  namespace on = tutti::collective;
  const auto few = counts(lengths::few, comm.size(), sizeof(Type));
  cover<on::all_reduce, Case, Type>(comm, algorithms{}, list<by_default>{}, few);
  cover<on::reduce, Case, Type>(comm, algorithms{}, list<in_chunks_of_256>{}, few);
  cover<on::reduce_scatter, Case, Type>(comm, algorithms{}, list<in_chunks_of_256>{}, few);
}

template <class Transport>
void elementwise_operators() {
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    cover_operator<min_case, float>(comm);
    cover_operator<avg_case, std::int8_t>(comm);
    cover_operator<plus_case, std::uint64_t>(comm);
    if constexpr (thorough<communicator>) {
      cover_operator<prod_case, std::int32_t>(comm);
      cover_operator<max_case, std::int32_t>(comm);
      cover_operator<avg_case, double>(comm);
      cover_operator<xor_case, std::uint8_t>(comm);
    }
  });
}

template <class Transport>
void ordered_operators() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    cover_operator<matrix_case, matrix>(comm);
    cover_operator<affine_case, affine>(comm);
    cover_operator<commuting_lambda_case, std::array<int, 3>>(comm);
  });
}

/// Accumulators that are larger than the elements change what fits into a message and where partial blocks lie:
/// more lengths, and those beyond a letter.
template <class Case, class Type, class Communicator>
void cover_accumulator(Communicator& comm) {
  namespace on = tutti::collective;
  const auto many = counts(lengths::many, comm.size(), sizeof(Type));
  cover<on::all_reduce, Case, Type>(comm, algorithms{}, two_chunkings{}, many);
  cover<on::reduce, Case, Type>(comm, algorithms{}, two_chunkings{}, many);
  cover<on::reduce_scatter, Case, Type>(comm, algorithms{}, two_chunkings{}, many);
  if (comm.size() > 5) return;
  cover<on::all_reduce, Case, Type>(comm, algorithms{}, list<in_whole>{}, large_counts(sizeof(Type)));
  cover<on::reduce, Case, Type>(comm, algorithms{}, list<in_whole>{}, large_counts(sizeof(Type)));
  cover<on::reduce_scatter, Case, Type>(comm, algorithms{}, list<in_whole>{}, large_counts(sizeof(Type)));
}

template <class Transport>
void accumulating_operators() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    cover_accumulator<mean_case, float>(comm);
    cover_accumulator<digest_case, std::uint32_t>(comm);
  });
}

}  // namespace conformance
