// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Every root of the rooted collectives. Broadcasts of an odd number of bytes are where scatter-based ones have
// gone wrong (ompi#7410), reductions in rank order are where renumbered trees do.

#include "operators.hpp"
#include "trial.hpp"

namespace conformance {

template <class Collective, class Case, class Type, class Communicator, class Algorithms>
void cover_roots(Communicator& comm, Algorithms which) {
  using tried = trial<Collective, Case, Communicator, Type>;
  const auto table = rows<Collective, Communicator, Type, typename tried::op_type>(which, two_chunkings{});
  const auto p = std::size_t(comm.size());
  for (const std::size_t count : {std::size_t(1), p - 1, p, p + 1, std::size_t(reduced ? 67 : 1003)}) {
    const auto given = problem<Type>::make(Case{}, comm.size(), comm.rank(), count, count);
    tried attempt(comm, given);
    for (int root = 0; root < comm.size(); ++root)
      for (const auto& row : table) attempt.run(row, root);
  }
}

/// The other parts of the suite don't try these: every collective that they serve, by elements and by accumulators.
template <class Communicator>
void cover_more_schedules(Communicator& comm) {
  namespace on = tutti::collective;
  cover_roots<on::broadcast, xor_case, std::uint8_t>(comm, more_schedules{});
  cover_roots<on::reduce, matrix_case, matrix>(comm, more_schedules{});
  cover_roots<on::reduce, digest_case, std::uint32_t>(comm, more_schedules{});
  const auto many = counts(lengths::many, comm.size(), sizeof(int));
  cover<on::all_reduce, matrix_case, matrix>(comm, more_schedules{}, two_chunkings{}, many);
  cover<on::all_reduce, mean_case, float>(comm, more_schedules{}, two_chunkings{}, many);
  cover<on::all_gather, sum_case, std::int32_t>(comm, more_schedules{}, two_chunkings{}, many);
  if (comm.size() > 9) return;
  const auto large = large_counts(sizeof(int));
  cover<on::broadcast, sum_case, std::int32_t>(comm, more_schedules{}, list<in_whole>{}, large);
  cover<on::all_gather, sum_case, std::int32_t>(comm, more_schedules{}, list<in_whole>{}, large);
}

template <class Transport>
void all_roots() {
  namespace on = tutti::collective;
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    cover_roots<on::broadcast, xor_case, std::uint8_t>(comm, algorithms{});
    cover_roots<on::broadcast, sum_case, bytes_40>(comm, algorithms{});
    cover_roots<on::reduce, sum_case, double>(comm, algorithms{});
    cover_roots<on::reduce, matrix_case, matrix>(comm, algorithms{});
    cover_roots<on::reduce, digest_case, std::uint32_t>(comm, algorithms{});
    if constexpr (!reduced) cover_more_schedules(comm);
  });
}

}  // namespace conformance
