// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Calls back to back, without barriers between them: whoever is early must not disturb whoever is late. State
// words and buffers that two collectives, two sizes or two algorithms share have broken others (sglang PR#13397,
// vllm PR#25892).

#include "operators.hpp"
#include "trial.hpp"

#include <unistd.h>

namespace conformance {

/// The same numbers on all ranks that start from the same seed.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t limit) { return std::size_t(scramble(state_++, 99)) % limit; }

 private:
  std::uint64_t state_;
};

/// One row of one collective by chance, with data of its own.
template <class Collective, class Case, class Type, class Communicator>
class any_call {
 public:
  explicit any_call(Communicator& comm) : comm_(comm) {}
  void operator()(dice& all, std::size_t count, std::uint64_t salt) {
    const auto given = problem<Type>::make(Case{}, comm_.size(), comm_.rank(), count, salt);
    const auto& row = table_[all.below(table_.size())];
    const int root = int(all.below(std::size_t(comm_.size())));
    using tried = trial<Collective, Case, Communicator, Type>;
    tried(comm_, given).run(row, root, tried::has_in_place && all.below(2) == 0);
  }

 private:
  Communicator& comm_;
  std::vector<row<Communicator, Type, decltype(Case::op())>> table_ =
      rows<Collective, Communicator, Type, decltype(Case::op())>(algorithms{}, two_chunkings{});
};

template <class Communicator>
void random_sequence(Communicator& comm, int calls, std::uint64_t seed) {
  namespace on = tutti::collective;
  any_call<on::all_reduce, sum_case, std::int32_t, Communicator> sums(comm);
  any_call<on::all_reduce, matrix_case, matrix, Communicator> products(comm);
  any_call<on::reduce, mean_case, float, Communicator> means(comm);
  any_call<on::reduce_scatter, sum_case, std::int32_t, Communicator> scattered(comm);
  any_call<on::all_gather, sum_case, std::int32_t, Communicator> gathered(comm);
  any_call<on::broadcast, sum_case, bytes_12, Communicator> spread(comm);
  dice all(seed), own(seed * 1000 + std::uint64_t(comm.rank()));
  for (int call = 0; call < calls; ++call) {
    // Mostly short, some across a path's border, now and then a long one.
    const std::size_t kind = all.below(40);
    const std::size_t count = kind == 0 ? 20000 + all.below(60000) : kind < 6 ? 1000 + all.below(4000) : all.below(70);
    if (own.below(12) == 0) usleep(useconds_t(own.below(200)));
    const auto salt = std::uint64_t(call);
    switch (all.below(7)) {
      case 0:
        sums(all, count, salt);
        break;
      case 1:
        products(all, count, salt);
        break;
      case 2:
        means(all, count, salt);
        break;
      case 3:
        scattered(all, count, salt);
        break;
      case 4:
        gathered(all, count, salt);
        break;
      case 5:
        spread(all, count, salt);
        break;
      default:
        tutti::barrier(comm);
    }
  }
}

template <class Transport>
void random_sequences() {
  for (const int size : Transport::sizes()) {
    if (size == 1 || size > 9) continue;
    in_world<Transport>(size, [size](typename Transport::communicator& comm) {
      random_sequence(comm, reduced ? 200 : 1500, std::uint64_t(size));
    });
  }
}

/// The same algorithm at lengths that lie on both sides of every threshold, one after the other.
template <class Transport>
void alternating_lengths() {
  in_world<Transport>(reduced ? 2 : 4, [](typename Transport::communicator& comm) {
    using tried = trial<tutti::collective::all_reduce, sum_case, typename Transport::communicator, float>;
    const auto table = rows<tutti::collective::all_reduce, typename Transport::communicator, float, tutti::sum>(
        algorithms{}, list<by_default>{});
    std::vector<problem<float>> given;
    for (const std::size_t count :
         {std::size_t(8), std::size_t(reduced ? 200000 : 1 << 20), std::size_t(9), std::size_t(65536)})
      given.push_back(problem<float>::make(sum_case{}, comm.size(), comm.rank(), count, count));
    std::vector<tried> attempts;
    attempts.reserve(given.size());
    for (const auto& one : given) attempts.emplace_back(comm, one);
    for (int time = 0; time < (reduced ? 2 : 12); ++time)
      for (const auto& row : table)
        for (auto& attempt : attempts) attempt.run(row, 0, time % 2 == 1);
  });
}

}  // namespace conformance
