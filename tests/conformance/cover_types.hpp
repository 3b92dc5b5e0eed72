// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Every element type, by every algorithm, with an operator that it has.

#include "operators.hpp"
#include "trial.hpp"

namespace conformance {

template <class Case, class Type, class Communicator>
void cover_type(Communicator& comm) {
  namespace on = tutti::collective;
  const auto few = counts(lengths::few, comm.size(), sizeof(Type));
  cover<on::all_reduce, Case, Type>(comm, algorithms{}, two_chunkings{}, few);
  cover<on::reduce_scatter, Case, Type>(comm, algorithms{}, list<by_default>{}, few);
  cover<on::all_gather, Case, Type>(comm, algorithms{}, list<in_chunks_of_256>{}, few);
}

template <class Transport>
void arithmetic_types() {
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    cover_type<sum_case, std::int8_t>(comm);
    cover_type<prod_case, float>(comm);
    cover_type<prod_case, std::complex<float>>(comm);
    if constexpr (thorough<communicator>) {
      cover_type<max_case, std::uint8_t>(comm);
      cover_type<sum_case, std::int32_t>(comm);
      cover_type<prod_case, std::uint64_t>(comm);
      cover_type<sum_case, double>(comm);
    }
  });
}

template <class Transport>
void struct_types() {
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    cover_type<sum_case, padded>(comm);
    cover_type<sum_case, bytes_12>(comm);
    cover_type<sum_case, bytes_3000>(comm);
    if constexpr (thorough<communicator>) {
      cover_type<commuting_lambda_case, std::array<int, 3>>(comm);
      cover_type<sum_case, bytes_40>(comm);
    }
  });
}

}  // namespace conformance
