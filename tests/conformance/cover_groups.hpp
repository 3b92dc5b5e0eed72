// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Groups of ranks: who is in them, in which order, that they work side by side, and that they leave nothing behind.

#include "elements.hpp"
#include "world.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

namespace conformance {

/// A group whose members are these ranks of the world, in this order, works: order, movement, fold, messages, memory.
template <class Communicator>
void expect_group(Communicator& group, int me, const std::vector<int>& members, const char* what) {
  const auto here = std::find(members.begin(), members.end(), me);
  if (here == members.end()) {
    if (group.active() || group.size() != 0 || group.rank() != -1)
      throw std::runtime_error(std::string(what) + ": rank " + std::to_string(me) + " is in a group of others");
    return;
  }
  expect(group, group.active() && group.size() == int(members.size()), what, group.size());
  expect(group, group.rank() == int(here - members.begin()), what, group.rank());
  expect(group, tutti::all_gather(group, std::vector<int>{me}) == members, what);
  expect(group, tutti::all_gather(group, std::vector<int>{me}, tutti::ring{}) == members, what);
  std::vector<int> sum(777, me);
  int total = 0;
  for (const int one : members) total += one;
  tutti::all_reduce(group, sum, tutti::sum{}, tutti::tree{}, tutti::chunked<256>{});
  expect(group, all_are(sum, total), what, total);
  const int next = (group.rank() + 1) % group.size(), before = (group.rank() + group.size() - 1) % group.size();
  int from[1] = {-1};
  tutti::send_recv(group, next, std::vector<int>{me}, before, from);
  expect(group, from[0] == members[std::size_t(before)], what, from[0]);
  auto memory = group.template allocate<int>(1000);
  expect(group, memory.size() == 1000 && all_are(memory, 0), "allocated memory is not zero");
  for (int& one : memory) one = me;
  tutti::all_reduce(group, memory, tutti::max{});
  expect(group, all_are(memory, *std::max_element(members.begin(), members.end())), what);
}

/// The ranks below size that `belongs` takes.
template <class Belongs>
std::vector<int> ranks_where(int size, Belongs belongs) {
  std::vector<int> some;
  for (int rank = 0; rank < size; ++rank)
    if (belongs(rank)) some.push_back(rank);
  return some;
}

template <class Transport>
void splits() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int p = comm.size(), me = comm.rank();
        auto parity = ranks_where(p, [&](int rank) { return rank % 2 == me % 2; });
        auto halves = comm.split(me % 2);
        expect_group(halves, me, parity, "split by parity");
        auto reversed = comm.split(me % 2, -me);
        std::reverse(parity.begin(), parity.end());
        expect_group(reversed, me, parity, "split with reversed keys");
        auto same_key = comm.split(0, 5);
        expect_group(same_key, me, ranks_where(p, [](int) { return true; }), "split with equal keys");
        auto uneven = comm.split(me == 0 ? 7 : 1 << 30);
        expect_group(uneven, me, ranks_where(p, [&](int rank) { return (rank == 0) == (me == 0); }), "uneven split");
        auto alone = comm.split(me);
        expect_group(alone, me, {me}, "split into ranks");
        auto some = comm.split(me % 3 == 0 ? -1 : 0);
        expect_group(some, me, ranks_where(p, [](int rank) { return rank % 3 != 0; }), "split that leaves ranks out");
        // A group of a group, three deep.
        auto inner = halves.split(halves.rank() % 2, -halves.rank());
        auto expected = ranks_where(p, [&](int rank) { return rank % 4 == me % 4; });
        std::reverse(expected.begin(), expected.end());
        expect_group(inner, me, expected, "split of a split");
        auto innermost = inner.split(0);
        expect_group(innermost, me, expected, "split of a split of a split");
        expect_group(halves, me, ranks_where(p, [&](int rank) { return rank % 2 == me % 2; }),
                     "a group after its groups");
        auto twin = reversed.duplicate();
        expect_group(twin, me, parity, "duplicate of a group");
      },
      9);
}

/// A group that this process is not in refuses everything, and the world goes on.
template <class Communicator>
void expect_refusals(Communicator& absent) {
  const auto refused = [](const char* words, auto call) {
    try {
      call();
    } catch (const tutti::error& error) {
      if (error.code() != tutti::errc::bad_argument || std::strstr(error.what(), words) != error.what() ||
          std::strstr(error.what(), "a group that this process is not in") == nullptr)
        throw std::runtime_error(std::string("refused by other words: ") + error.what());
      return;
    }
    throw std::runtime_error(std::string("a group of others takes part in ") + words);
  };
  std::vector<int> in(4), out(4);
  std::vector<std::vector<int>> list;
  refused("all_reduce", [&] { tutti::all_reduce(absent, in, tutti::sum{}); });
  if constexpr (thorough<Communicator>) {
    refused("reduce", [&] { tutti::reduce(absent, in, tutti::sum{}); });
    refused("broadcast", [&] { tutti::broadcast(absent, in); });
    refused("all_gather", [&] { tutti::all_gather(absent, in, out); });
    refused("all_gather", [&] { (void)tutti::all_gather(absent, in); });
    refused("all_gather", [&] { tutti::all_gather(absent, in, list); });
    refused("all_gather_v", [&] { (void)tutti::all_gather_v(absent, in); });
    refused("reduce_scatter", [&] { (void)tutti::reduce_scatter(absent, in, tutti::sum{}); });
    refused("reduce_scatter_v", [&] { tutti::reduce_scatter_v(absent, in, out, tutti::sum{}); });
    refused("gather", [&] { tutti::gather(absent, in, out); });
    refused("gather_v", [&] { (void)tutti::gather_v(absent, in); });
    refused("scatter", [&] { tutti::scatter(absent, in, out); });
    refused("scatter", [&] { tutti::scatter(absent, list, out); });
    refused("all_to_all", [&] { tutti::all_to_all(absent, in, out); });
    refused("all_to_all", [&] { tutti::all_to_all(absent, list, list); });
    refused("all_to_all_v", [&] { (void)tutti::all_to_all_v(absent, in, std::vector<std::size_t>{}); });
    refused("scan", [&] { tutti::scan(absent, in, tutti::sum{}); });
    refused("exclusive_scan", [&] { tutti::exclusive_scan(absent, in, out, tutti::sum{}); });
  }
  refused("barrier", [&] { tutti::barrier(absent); });
  refused("send", [&] { tutti::send(absent, 0, in); });
  refused("recv", [&] { tutti::recv(absent, 0, in); });
  refused("send_recv", [&] { tutti::send_recv(absent, 0, in, 0, out); });
  refused("all_reduce", [&] { tutti::async::all_reduce(absent, in, tutti::sum{}).wait(); });
  refused("recv", [&] { tutti::async::recv(absent, 0, in).wait(); });
  refused("all_reduce",
          [&] { tutti::plan(absent, [&](auto& record) { tutti::all_reduce(record, in, tutti::sum{}); }).run(); });
  refused("split", [&] { (void)absent.split(0); });
  refused("split", [&] { (void)absent.duplicate(); });
  refused("subgroup", [&] { (void)absent.subgroup(std::vector<int>{0}); });
  refused("allocate", [&] { (void)absent.template allocate<int>(1); });
  refused("split", [&] { (void)absent.node(); });
}

template <class Transport>
void subgroups() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int p = comm.size(), me = comm.rank();
        const std::vector<int> ends = p == 1 ? std::vector<int>{0} : std::vector<int>{p - 1, 0};
        auto pair = comm.subgroup(ends);
        expect_group(pair, me, ends, "subgroup of the ends");
        if (!pair.active()) expect_refusals(pair);
        const std::vector<int> none;
        auto nobody = comm.subgroup(none);
        expect_group(nobody, me, none, "subgroup of nobody");
        expect_refusals(nobody);
        const auto refused = [&](const std::vector<int>& list, const char* words) {
          try {
            (void)comm.subgroup(list);
            expect(comm, false, words);
          } catch (const tutti::error& error) {
            expect(comm, std::strstr(error.what(), words) != nullptr, error.what());
          }
        };
        refused({0, p}, "is listed, expected at least 0 and below the size");
        refused({-1}, "is listed, expected at least 0 and below the size");
        refused({me, me}, "is listed twice");
        tutti::barrier(comm);
      },
      9);
}

/// Every rank runs several threads, each with communicators of its own, all at once.
template <class Transport>
void duplicates_in_threads() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        using communicator = typename Transport::communicator;
        constexpr int workers = 4, each = 4;
        std::vector<std::vector<communicator*>> of(workers);
        std::vector<std::unique_ptr<communicator>> all;
        for (int worker = 0; worker < workers; ++worker)
          for (int i = 0; i < each; ++i) {
            all.push_back(std::unique_ptr<communicator>(new communicator(comm.duplicate())));
            of[std::size_t(worker)].push_back(all.back().get());
          }
        std::string failures[workers];
        const auto work = [&](int worker) {
          try {
            const auto& mine = of[std::size_t(worker)];
            for (int turn = 0; turn < (reduced ? 10 : 60); ++turn) {
              const std::size_t count = scramble(std::uint64_t(worker), std::uint64_t(turn)) % 4000;
              std::vector<int> data[each];
              std::vector<tutti::request<void>> pending;
              for (int i = 0; i < each; ++i) {
                auto& on = *mine[std::size_t(i)];
                data[i].assign(count, on.rank() + worker * 100 + i);
                switch ((turn + i) % 3) {
                  case 0:
                    pending.push_back(tutti::async::all_reduce(on, data[i], tutti::max{}));
                    break;
                  case 1:
                    pending.push_back(tutti::async::all_reduce(on, data[i], tutti::max{}, tutti::ring{}));
                    break;
                  default:
                    tutti::all_reduce(on, data[i], tutti::max{}, tutti::tree{});
                }
              }
              if (turn % 2 == 0)
                tutti::wait_all(pending);
              else
                for (std::size_t k = pending.size(); k-- > 0;) pending[k].wait();
              for (int i = 0; i < each; ++i)
                expect(comm, all_are(data[i], comm.size() - 1 + worker * 100 + i), "a duplicate in a thread", turn);
              auto& on = *mine[0];
              const int next = (on.rank() + 1) % on.size(), before = (on.rank() + on.size() - 1) % on.size();
              int got[1] = {-1};
              tutti::send_recv(on, next, std::vector<int>{worker}, before, got, 1);
              expect(comm, got[0] == worker, "a message between threads of the same number", got[0]);
            }
          } catch (const std::exception& failure) {
            failures[worker] = failure.what();
          }
        };
        std::vector<std::thread> threads_of_rank;
        for (int worker = 1; worker < workers; ++worker) threads_of_rank.emplace_back(work, worker);
        work(0);
        for (auto& one : threads_of_rank) one.join();
        for (const auto& failure : failures)
          if (!failure.empty()) throw std::runtime_error(failure);
        tutti::barrier(comm);
      },
      4);
}

/// node, leaders and lanes of an arrangement by pairs, of one by thirds that are not neighbours, and of none.
template <class Transport>
void near_and_far() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int p = comm.size(), me = comm.rank();
        const auto color_of = [&comm](int arrangement, int rank) {
          if constexpr (requires { comm.hosts(); })
            if (arrangement == 0) return comm.hosts()[std::size_t(rank)];
          return arrangement == 0 ? 0 : arrangement == 1 ? rank / 2 : rank % 3;
        };
        for (int arrangement = 0; arrangement < 3; ++arrangement) {
          auto world = comm.duplicate();
          if (arrangement != 0) world.arrange(color_of(arrangement, me));
          const auto place_of = [&](int rank) {  // in its node
            int place = 0;
            for (int other = 0; other < rank; ++other)
              place += color_of(arrangement, other) == color_of(arrangement, rank);
            return place;
          };
          const auto near =
              ranks_where(p, [&](int rank) { return color_of(arrangement, rank) == color_of(arrangement, me); });
          for (int time = 0; time < 2; ++time) {  // made once
            if (arrangement == 1)
              expect_group(world.leaders(), me, ranks_where(p, [&](int rank) { return place_of(rank) == 0; }),
                           "leaders first");
            expect_group(world.node(), me, near, "node");
            expect_group(world.leaders(), me, ranks_where(p, [&](int rank) { return place_of(rank) == 0; }), "leaders");
            expect_group(world.lanes(), me, ranks_where(p, [&](int rank) { return place_of(rank) == place_of(me); }),
                         "lanes");
          }
          expect(comm, &world.node() == &world.node() && &world.lanes() == &world.lanes(), "node made twice");
          try {
            world.arrange(0);
            expect(comm, false, "arrange after use was not refused");
          } catch (const tutti::error& refused) {
            expect(comm, std::strstr(refused.what(), "arrange on rank") == refused.what(), refused.what());
          }
          if constexpr (requires { world.arrange_by_caches(); }) {
            auto machine = comm.duplicate();
            const bool several = machine.arrange_by_caches();
            std::vector<int> answers(std::size_t(p), -1);
            tutti::all_gather(comm, std::vector<int>{several ? machine.node().size() : 0}, answers);
            for (const int size : answers)  // all or none, and no group that is everybody
              expect(comm, (size > 0) == several && size < (p < 2 ? 2 : p), "arrange_by_caches", size);
            std::vector<int> sum(500, me + 1);
            tutti::all_reduce(machine, sum, tutti::sum{}, tutti::automatic_by_levels{});
            expect(comm, all_are(sum, p * (p + 1) / 2), "all_reduce by caches", several);
          }
          // What they are for: within, across, within.
          std::vector<int> sum(500, me + 1);
          tutti::reduce(world.node(), sum, tutti::sum{});
          if (world.leaders().active()) tutti::all_reduce(world.leaders(), sum, tutti::sum{});
          tutti::broadcast(world.node(), sum);
          expect(comm, all_are(sum, p * (p + 1) / 2), "all_reduce by node and leaders", arrangement);
        }
      },
      9);
}

/// Groups come and go; the region's heap is as full afterwards as after the first rounds.
template <class Transport>
void groups_come_and_go() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int me = comm.rank();
        [[maybe_unused]] std::size_t left = 0;
        for (int turn = 0; turn < (reduced ? 40 : 200); ++turn) {
          {
            auto parity = comm.split(me % 2);
            auto twin = comm.duplicate();
            auto inner = parity.split(0, -me);
            auto memory = inner.template allocate<double>(20000);
            for (double& one : memory) one = me + turn;
            tutti::all_reduce(inner, memory, tutti::min{});
            expect(comm, all_are(memory, double(me % 2 + turn)), "a group of its turn", turn);
            std::vector<int> most(100, me);
            tutti::all_reduce(twin, most, tutti::max{}, tutti::ring{});
            expect(comm, all_are(most, comm.size() - 1), "a duplicate of its turn", turn);
          }
          tutti::barrier(comm);  // all ranks have let go of theirs
          if constexpr (Transport::communicator::load_store) {
            const std::size_t now = comm.world().heap().left();
            tutti::barrier(comm);
            if (turn == 0) left = now;
            expect(comm, now == left, "the shared heap has grown", long(left) - long(now));
          }
        }
      },
      9);
}

}  // namespace conformance
