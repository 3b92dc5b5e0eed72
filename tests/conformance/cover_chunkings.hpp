// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Every chunking in every collective by every algorithm, at every length that is a border somewhere.

#include "operators.hpp"
#include "trial.hpp"

namespace conformance {

template <class Collective, class Transport>
void every_chunking() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    cover<Collective, sum_case, std::int32_t>(comm, algorithms{}, chunkings{},
                                              counts(lengths::many, comm.size(), sizeof(int)));
    if (comm.size() <= 5)
      cover<Collective, sum_case, std::int32_t>(comm, algorithms{}, chunkings{}, large_counts(sizeof(int)));
  });
}

/// Both halves of the pipe must be served.
using piped = list<tutti::automatic, tutti::ring, tutti::tree, tutti::aggregator, tutti::direct, tutti::circulant,
                   chosen_by_name>;

template <class Transport>
void pipes() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    const auto many = counts(lengths::many, comm.size(), sizeof(int));
    cover<pipe, sum_case, std::int32_t>(comm, piped{}, list<by_default, in_chunks_of_256, in_three_chunks>{}, many);
    cover<pipe, avg_case, float>(comm, piped{}, list<by_default>{}, many);
    if (comm.size() <= 5)
      cover<pipe, sum_case, std::int32_t>(comm, piped{}, list<by_default, in_whole>{}, large_counts(sizeof(int)));
  });
}

}  // namespace conformance
