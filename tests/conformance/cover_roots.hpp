// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Every root of the rooted collectives. Broadcasts of an odd number of bytes are where scatter-based ones have
// gone wrong (ompi#7410), reductions in rank order are where renumbered trees do.

#include "operators.hpp"
#include "trial.hpp"

namespace conformance {

template <class Collective, class Case, class Type, class Communicator>
void cover_roots(Communicator& comm) {
  using tried = trial<Collective, Case, Communicator, Type>;
  const auto table = rows<Collective, Communicator, Type, typename tried::op_type>(algorithms{}, two_chunkings{});
  const auto p = std::size_t(comm.size());
  for (const std::size_t count : {std::size_t(1), p - 1, p, p + 1, std::size_t(reduced ? 67 : 1003)}) {
    const auto given = problem<Type>::make(Case{}, comm.size(), comm.rank(), count, count);
    tried attempt(comm, given);
    for (int root = 0; root < comm.size(); ++root)
      for (const auto& row : table) attempt.run(row, root);
  }
}

template <class Transport>
void all_roots() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    cover_roots<tutti::collective::broadcast, xor_case, std::uint8_t>(comm);
    cover_roots<tutti::collective::broadcast, sum_case, bytes_40>(comm);
    cover_roots<tutti::collective::reduce, sum_case, double>(comm);
    cover_roots<tutti::collective::reduce, matrix_case, matrix>(comm);
    cover_roots<tutti::collective::reduce, digest_case, std::uint32_t>(comm);
  });
}

}  // namespace conformance
