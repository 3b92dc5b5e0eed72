// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Smaller communicators: their ranks and order, what they do not disturb, and their memory.

#include "expect.hpp"
#include "world.hpp"

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace conformance {

template <class Communicator>
int sum_of_ranks(Communicator& group, int value) {
  int sum[] = {value};
  tutti::all_reduce(group, sum, tutti::sum{});
  return sum[0];
}

template <class Transport>
void splits() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int r = comm.rank(), p = comm.size();
        for (int turn = 0; turn < (reduced ? 3 : 10); ++turn) {
          // Odd and even, backwards.
          auto half = comm.split(r % 2, -r);
          expect(half.size() == (p + (r % 2 == 0 ? 1 : 0)) / 2, "size of a half", r);
          const int mine[] = {r};
          const auto order = tutti::all_gather(half, mine);
          for (std::size_t i = 0; i < order.size(); ++i)
            expect(order[i] % 2 == r % 2 && (i == 0 || order[i - 1] > order[i]), "order by key", r);
          // A group of a group; the whole goes on beside them.
          auto quarter = half.split(half.rank() / 2);
          expect(quarter.size() <= 2, "size of a quarter", r);
          std::vector<float> data(10007, 1);
          auto whole = tutti::async::all_reduce(comm, data, tutti::sum{});
          expect(sum_of_ranks(quarter, 1) == quarter.size(), "sum in a quarter", r);
          expect(sum_of_ranks(half, 1) == half.size(), "sum in a half", r);
          whole.wait();
          expect(data[10006] == float(p), "sum of all", r);
          auto buffer = half.template allocate<int>(100);
          for (int& value : buffer) value = 1;
          tutti::all_reduce(half, buffer, tutti::sum{}, tutti::ring{});
          expect(buffer[99] == half.size(), "memory of a half", r);
        }
        // Nobody's group, and one of some ranks in an order of their own.
        auto none = comm.split(r == 0 ? 3 : -1, 0);
        expect(none.active() == (r == 0) && none.size() == (r == 0 ? 1 : 0) && none.rank() == (r == 0 ? 0 : -1),
               "inactive", r);
        std::vector<int> list{p - 1};
        if (p > 1) list.push_back(0);
        auto some = comm.subgroup(list);
        int value[] = {r};
        if (some.active()) {
          tutti::broadcast(some, value, 0);
          expect(value[0] == p - 1, "the first of the list is rank 0", r);
        } else {
          int refused = 0;
          const auto refuses = [&](auto&& call) {
            try {
              call();
            } catch (const tutti::error& failure) {
              refused += failure.code() == tutti::errc::bad_argument &&
                         std::string(failure.what()).find("a group that this process is not in") != std::string::npos;
            }
          };
          refuses([&] { tutti::all_reduce(some, value, tutti::sum{}); });
          refuses([&] { tutti::reduce_scatter(some, value, tutti::sum{}); });
          refuses([&] { tutti::gather(some, value); });
          refuses([&] { tutti::all_to_all(some, value); });
          refuses([&] { tutti::barrier(some); });
          refuses([&] { tutti::send(some, 0, value); });
          refuses([&] { some.split(0); });
          expect(refused == 7, "an inactive group is an error, and no crash", r);
        }
        expect(sum_of_ranks(comm, r) == p * (p - 1) / 2, "the world after all that", r);
      },
      9);
}

template <class Transport>
void nodes() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int r = comm.rank(), p = comm.size();
        comm.arrange(r / 3);
        expect(comm.node().size() == (r / 3 == p / 3 ? p % 3 : 3) && comm.node().rank() == r % 3, "node", r);
        expect(comm.leaders().active() == (r % 3 == 0), "leaders", r);
        expect(comm.lanes().size() == (p + 2 - r % 3) / 3 && comm.lanes().rank() == r / 3, "lanes", r);
        int sum[] = {r};
        tutti::reduce(comm.node(), sum, tutti::sum{});
        if (comm.leaders().active()) tutti::all_reduce(comm.leaders(), sum, tutti::sum{});
        tutti::broadcast(comm.node(), sum);
        expect(sum[0] == p * (p - 1) / 2, "through nodes and leaders", r);
        auto plain = comm.duplicate();
        expect(plain.node().size() == p && plain.leaders().active() == (r == 0) && plain.lanes().size() == 1,
               "all on one host", r);
      },
      9);
}

/// Several threads of each rank, each with its own duplicate.
template <class Transport>
void several_threads() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        using communicator = typename Transport::communicator;
        communicator first = comm.duplicate(), second = comm.duplicate(), third = comm.duplicate();
        communicator* const all[] = {&comm, &first, &second, &third};
        bool right[4] = {};
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
          threads.emplace_back([&, t] {
            communicator& mine = *all[t];
            bool good = true;
            for (int turn = 0; turn < (reduced ? 50 : 300); ++turn) {
              std::vector<int> data(std::size_t(1 + turn * 37 % 3000), mine.rank() + t);
              tutti::all_reduce(mine, data, tutti::sum{});
              const int p = mine.size();
              good = good && data.back() == p * (p - 1) / 2 + p * t;
            }
            right[t] = good;
          });
        for (auto& one : threads) one.join();
        for (const bool good : right) expect(good, "a thread with its own duplicate", comm.rank());
      },
      3);
}

/// Groups and buffers give their memory back: another round takes no more.
template <class Transport>
void memory_of_groups() {
  in_world<Transport>(4, [](typename Transport::communicator& comm) {
    std::size_t left = 0;
    for (int round = 0; round < 60; ++round) {
      {
        auto half = comm.split(comm.rank() % 2);
        auto copy = comm.duplicate();
        auto buffer = copy.template allocate<double>(1000 + 5000 * std::size_t(round % 2));
        for (const double value : buffer) expect(value == 0, "memory that comes back is zero", comm.rank());
        for (double& value : buffer) value = 1;
        tutti::all_reduce(copy, buffer, tutti::sum{});
        expect(sum_of_ranks(half, 1) == 2, "a half again", comm.rank());
      }
      tutti::barrier(comm);
      if (round == 9) left = comm.world().heap().left();
    }
    expect(comm.world().heap().left() == left, "groups and buffers take no more memory", comm.rank());
  });
}

}  // namespace conformance
