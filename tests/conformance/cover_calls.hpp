// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What is said beside the arguments: barriers, empty ranges without memory, returned vectors, choices by name, and
// the errors of a rank's own wrong call, after which the world still works.

#include "operators.hpp"
#include "trial.hpp"
#include "witness.hpp"

#include <atomic>
#include <cstring>
#include <stdexcept>

#include <unistd.h>

namespace conformance {

/// Nobody leaves barrier k before all have come to it. Relaxed words: it is the barrier that orders them.
template <class Transport>
void barriers() {
  for (const int size : Transport::sizes()) {
    witness came;
    in_world<Transport>(size, [&came](typename Transport::communicator& comm) {
      for (int turn = 1; turn <= (reduced ? 20 : 200); ++turn) {
        if (scramble(std::uint64_t(turn), std::uint64_t(comm.rank())) % 8 == 0) usleep(200);
        came[comm.rank()].store(turn, std::memory_order_relaxed);
        tutti::barrier(comm);
        for (int rank = 0; rank < comm.size(); ++rank)
          if (came[rank].load(std::memory_order_relaxed) < turn)
            throw std::runtime_error("barrier " + std::to_string(turn) + ": rank " + std::to_string(comm.rank()) +
                                     " left before rank " + std::to_string(rank) + " came");
      }
    });
  }
}

/// No elements, no memory: nothing may be read there, and all ranks must still count the call.
template <class Communicator, class... Algorithms>
void calls_without_memory(Communicator& comm, list<Algorithms...>) {
  namespace on = tutti::collective;
  const std::span<const double> in;
  const std::span<double> out;
  const auto one = [&]<class Algorithm>(list<Algorithm>) {
    const auto how = value_of<Algorithm>();
    tutti::all_reduce(comm, in, out, tutti::sum{}, how);
    tutti::all_reduce(comm, out, tutti::avg{}, how);
    if constexpr (serves<Communicator, Algorithm, on::reduce, double, tutti::sum>())
      tutti::reduce(comm, in, out, tutti::sum{}, comm.size() - 1, how);
    if constexpr (serves<Communicator, Algorithm, on::reduce_scatter, double, tutti::sum>()) {
      tutti::reduce_scatter(comm, in, out, tutti::min{}, how);
      if (!tutti::reduce_scatter(comm, in, tutti::max{}, how).empty())
        throw std::runtime_error("reduce_scatter of nothing gave something");
    }
    if constexpr (serves<Communicator, Algorithm, on::broadcast, double, void>())
      tutti::broadcast(comm, out, comm.size() / 2, how);
    if constexpr (serves<Communicator, Algorithm, on::all_gather, double, void>()) {
      tutti::all_gather(comm, in, out, how);
      tutti::all_gather(comm, tutti::in_place(out), how);
    }
    int ranks[] = {1};
    tutti::all_reduce(comm, ranks, tutti::sum{}, how);  // does the count of calls still agree?
    if (ranks[0] != comm.size()) throw std::runtime_error(std::string("calls without memory upset ") + Algorithm::name);
  };
  (one(list<Algorithms>{}), ...);
}

template <class Transport>
void empty_calls() {
  in_every_world<Transport>([](typename Transport::communicator& comm) { calls_without_memory(comm, algorithms{}); });
}

/// reduce_scatter and all_gather that return vectors compose to all_reduce for every length; C arrays and arrays
/// are ranges; a choice by name is what its name says; who is no root gives no room.
template <class Transport>
void other_forms() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    for (const std::size_t count : counts(lengths::few, comm.size(), sizeof(int))) {
      const auto given = problem<int>::make(sum_case{}, comm.size(), comm.rank(), count, 5);
      const call_site at{Transport::communicator::transport_name,
                         "reduce_scatter, all_gather",
                         "automatic",
                         "default",
                         "sum",
                         "int32",
                         comm.size(),
                         comm.rank(),
                         0,
                         count,
                         false};
      const auto whole = tutti::all_gather(comm, tutti::reduce_scatter(comm, given.own, tutti::sum{}));
      if (whole.size() != count) fail(at, "the shards do not join to the whole");
      expect_equal<int>(at, whole, given.total);
      for (const char* name : chosen_by_name::choice::names) {
        std::vector<int> data = given.own;
        tutti::all_reduce<tutti::ring, tutti::whole>(comm, data, tutti::sum{},
                                                     chosen_by_name::choice::named(name));  // the option wins
        expect_equal<int>(at, data, given.total);
      }
    }
    // Only the root needs room for the result of reduce.
    std::vector<int> given(40, comm.rank() + 1), found(comm.rank() == comm.size() - 1 ? 40 : 0);
    tutti::reduce(comm, given, found, tutti::sum{}, comm.size() - 1);
    tutti::reduce(comm, given, found, tutti::sum{}, comm.size() - 1, tutti::tree{});
    tutti::reduce(comm, given, found, tutti::sum{}, comm.size() - 1, tutti::aggregator{}, tutti::pipelined<3>{});
    if (!found.empty() && found[39] != comm.size() * (comm.size() + 1) / 2)
      throw std::runtime_error("reduce without room elsewhere");
    float array[3] = {1, 2, float(comm.rank())};
    tutti::all_reduce<tutti::tree, tutti::chunked<4>>(comm, array, tutti::max{});
    std::array<float, 3> values{1, 2, float(comm.rank())};
    tutti::all_reduce(comm, values, [](float a, float b) { return a > b ? a : b; });
    if (array[2] != float(comm.size() - 1) || values[2] != array[2])
      throw std::runtime_error("arrays as ranges: wrong maximum");
  });
}

template <class Communicator, class Call>
void expect_refusal(Communicator& comm, const char* words, Call&& call) {
  try {
    call();
  } catch (const tutti::error& refused) {
    if (refused.code() != tutti::errc::bad_argument || std::strstr(refused.what(), words) == nullptr)
      throw std::runtime_error(std::string("refused by other words than \"") + words + "\": " + refused.what());
    if (std::strstr(refused.what(), ("rank " + std::to_string(comm.rank())).c_str()) == nullptr)
      throw std::runtime_error(std::string("does not name the rank: ") + refused.what());
    return;
  }
  throw std::runtime_error(std::string("was not refused: ") + words);
}

/// A rank's own wrong call is refused before anything is sent, so the world goes on.
template <class Transport>
void refusals() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        std::vector<int> memory(100, 1);
        const std::span<int> low(memory.data(), 60), high(memory.data() + 40, 60), rest(memory.data() + 60, 40);
        const int p = comm.size();
        expect_refusal(comm, "overlap", [&] { tutti::all_reduce(comm, low, high, tutti::sum{}); });
        expect_refusal(comm, "overlap", [&] { tutti::all_reduce(comm, high, low, tutti::sum{}, tutti::ring{}); });
        expect_refusal(comm, "overlap", [&] { tutti::reduce(comm, low, high, tutti::sum{}, comm.rank()); });
        const auto mine = tutti::shard(60, p, comm.rank());
        expect_refusal(comm, "overlap",
                       [&] { tutti::reduce_scatter(comm, low, low.subspan(mine.first, mine.count), tutti::sum{}); });
        expect_refusal(comm, "overlap", [&] { tutti::all_gather(comm, low.subspan(mine.first, mine.count), low); });
        expect_refusal(comm, "overlap", [&] {
          auto step = tutti::reduce_scatter(tutti::sum{}) | tutti::transform([](int& a, const int& b) { a -= b; }) |
                      tutti::all_gather();
          step(comm, low, high);
        });
        expect_refusal(comm, "elements, expected", [&] { tutti::all_reduce(comm, low, rest, tutti::sum{}); });
        expect_refusal(comm, "elements, expected",
                       [&] { tutti::reduce_scatter(comm, low, low.subspan(0, mine.count - 1), tutti::sum{}); });
        expect_refusal(comm, "elements, expected",
                       [&] { tutti::all_gather(comm, low.subspan(0, mine.count - 1), low); });
        for (const int root : {-1, p, p + 1}) {
          expect_refusal(comm, "root is", [&] { tutti::broadcast(comm, low, root); });
          expect_refusal(comm, "root is", [&] { tutti::reduce(comm, low, tutti::sum{}, root); });
        }
        using by_name = tutti::one_of<tutti::direct, tutti::ring>;
        std::vector<matrix> ordered(3);
        expect_refusal(comm, "out of rank order",
                       [&] { tutti::all_reduce(comm, ordered, times{}, by_name::named("ring")); });
        for (const int value : memory)
          if (value != 1) throw std::runtime_error("a refused call changed its arguments");
        tutti::all_reduce(comm, memory, tutti::sum{});
        if (memory[99] != p) throw std::runtime_error("the world doesn't work after refusals");
      },
      5);
}

}  // namespace conformance
