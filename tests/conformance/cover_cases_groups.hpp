// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Cases 16, 23, 24, 33 and 34: many communicators at once, in one thread and in several; their counts near the end of
// the numbers; ranks that are late to a new one; nodes of every shape.

#include "cases.hpp"
#include "cover_calls.hpp"
#include "cover_sequences.hpp"

#include <tutti/async.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include <unistd.h>

namespace conformance {

/// Case 16 (jax#40830): twelve groups in one process reduce megabytes of doubles at once. The input is being sent while
/// the result arrives; nobody may write to it.
template <class Transport>
void twelve_groups_at_once() {
  using communicator = typename Transport::communicator;
  in_world<Transport>(2, [](communicator& comm) {
    constexpr std::size_t mebibyte = (reduced ? std::size_t(1) << 14 : std::size_t(1) << 20) / sizeof(double);
    constexpr int groups = 12, most = 8;
    const auto value = [](int rank, int group, std::size_t i) {
      return double((i * 7 + std::size_t(group) * 13) % 1009) + rank;
    };
    std::vector<std::unique_ptr<communicator>> all;
    std::vector<std::vector<double>> inputs, outputs;
    for (int group = 0; group < groups; ++group) {
      all.emplace_back(new communicator(comm.duplicate()));  // which can't be moved
      inputs.emplace_back(most * mebibyte);
      outputs.emplace_back(most * mebibyte / 2);
      for (std::size_t i = 0; i < most * mebibyte; ++i) inputs.back()[i] = value(comm.rank(), group, i);
    }
    for (int turn = 0; turn < (reduced ? 6 : 50); ++turn) {
      const std::size_t count = std::size_t(1 + turn % most) * mebibyte, mine = count / 2;
      std::vector<tutti::request<void>> requests;
      for (int group = 0; group < groups; ++group) {
        const auto g = std::size_t(group);
        const std::span<const double> in(inputs[g].data(), count);
        const std::span<double> out(outputs[g].data(), mine);
        std::memset(static_cast<void*>(out.data()), 0xEE, out.size_bytes());
        if ((turn + group) % 2 == 0)
          requests.push_back(tutti::async::reduce_scatter(*all[g], in, out, tutti::sum{}));
        else
          requests.push_back(tutti::async::reduce_scatter(*all[g], in, out, tutti::sum{}, tutti::ring{}));
      }
      tutti::wait_all(requests);
      for (int group = 0; group < groups; ++group)
        for (std::size_t i = 0; i < mine; ++i) {
          const std::size_t index = i + std::size_t(comm.rank()) * mine;
          if (outputs[std::size_t(group)][i] != 2 * value(0, group, index) + 1)
            fail_case(comm, "group " + std::to_string(group) + " of twelve, " + std::to_string(count) +
                                " doubles: wrong at " + std::to_string(index));
        }
    }
    for (int group = 0; group < groups; ++group)
      for (std::size_t i = 0; i < most * mebibyte; ++i)
        if (inputs[std::size_t(group)][i] != value(comm.rank(), group, i)) fail_case(comm, "an input was changed");
  });
}

/// Case 23 (vllm PR#8558, PR#2760): counts that cross 2^32, the sign, and the end of 64 bits.
template <class Transport>
void counts_that_wrap() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        if constexpr (requires { comm.count_from(0); }) {
          const int p = comm.size(), me = comm.rank();
          for (const std::uint64_t border : {std::uint64_t(1) << 32, std::uint64_t(1) << 63, std::uint64_t(0)})
            for (const std::uint64_t before : {1u, 4u, 9u}) {
              if (reduced && before != 4) continue;
              auto late = comm.duplicate();
              late.count_from(border - before);
              tutti::barrier(comm);
              const std::string when = std::to_string(before) + " before " + std::to_string(border) + ": ";
              for (std::uint64_t turn = 0; turn < (reduced ? 3 : 6); ++turn) {
                const std::size_t count = turn % 3 == 1 ? 70000 : 100;  // beyond a letter, or short
                const ints own = data_of(me, count, turn), total = sum_of(p, count, turn);
                const auto reduce_by = [&](auto how, const char* what) {
                  guarded<std::int32_t> out(count);
                  tutti::all_reduce(late, own, out.span(), tutti::sum{}, how, tutti::chunked<32768>{});
                  expect_bits(late, when + what, out, total);
                };
                reduce_by(tutti::ring{}, "all_reduce by messages");
                reduce_by(tutti::direct{}, "all_reduce in two phases");
                reduce_by(tutti::one_phase{}, "all_reduce in one phase");
                ints given = me == p - 1 ? own : ints(count, -1);
                tutti::broadcast(late, given, p - 1);
                expect_bits(late, when + "broadcast", given, data_of(p - 1, count, turn));
                guarded<std::int32_t> came(count);
                tutti::send_recv(late, (me + 1) % p, own, (me + p - 1) % p, came.span());
                expect_bits(late, when + "send_recv", came, data_of((me + p - 1) % p, count, turn));
                late.block_sends(turn % 3 == 1);
                auto part = late.split(me % 2);
                expect_in_step(part, when + "split");
                tutti::barrier(late);
              }
            }
        }
      },
      5);
}

/// Case 24 (tvm PR#16797): one rank is late between making a communicator and using it; what the others wrote there
/// meanwhile must be seen. The memory is that of the last one: nothing old may be seen either.
template <class Transport>
void late_to_a_new_group() {
  in_world<Transport>(reduced ? 3 : 4, [](typename Transport::communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    dice chance(24);
    for (int turn = 0; turn < (reduced ? 20 : 200); ++turn) {
      const int late = int(chance.below(std::size_t(p)));
      const bool very = turn % 50 == 7;
      const auto delay = useconds_t(very ? 200000 : chance.below(1500));
      const auto salt = std::uint64_t(turn);
      if (chance.below(2) == 0 && me == late) usleep(delay);
      auto fresh = comm.split(0, turn % 2 == 0 ? me : -me);
      if (me == late) usleep(delay);
      const int here = fresh.rank(), next = (here + 1) % p, last = (here + p - 1) % p;
      const std::size_t count = turn % 4 == 0 ? 70000 : 50;
      const ints own = data_of(here, count, salt);
      auto sent = tutti::async::send(fresh, next, own);
      guarded<std::int32_t> by_ring(count), by_stores(count), came(count);
      tutti::all_reduce(fresh, own, by_ring.span(), tutti::sum{}, tutti::ring{});
      tutti::all_reduce(fresh, own, by_stores.span(), tutti::sum{});
      tutti::recv(fresh, last, came.span());
      sent.wait();
      const std::string when = "turn " + std::to_string(turn) + " of late ranks: ";
      expect_bits(fresh, when + "all_reduce by ring", by_ring, sum_of(p, count, salt));
      expect_bits(fresh, when + "all_reduce", by_stores, sum_of(p, count, salt));
      expect_bits(fresh, when + "recv", came, data_of(last, count, salt));
    }
  });
}

/// The node of each of eight ranks, by one of these numbers: any, also with gaps.
using node_map = std::vector<int>;
inline std::vector<node_map> node_maps() {
  if (reduced) return {{0, 1, 0, 1, 0}, {7, 7, 2, 7, 2}, {0, 1, 2, 3, 4}};
  std::vector<node_map> all = {{0, 0, 0, 0, 1, 1, 1, 1},                            // blocks
                               {0, 0, 1, 1, 2, 2, 3, 3}, {0, 1, 0, 1, 0, 1, 0, 1},  // in turn
                               {0, 1, 2, 3, 0, 1, 2, 3}, {0, 0, 0, 1, 2, 2, 2, 2},  // uneven: 3 + 1 + 4
                               {5, 0, 5, 0, 9, 5, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5, 6, 7}};
  dice chance(33);
  for (int more = 0; more < 6; ++more) {
    node_map one;
    for (int rank = 0; rank < 8; ++rank) one.push_back(int(chance.below(std::size_t(2 + more % 3))));
    all.push_back(one);
  }
  return all;
}

/// Hierarchies by hand, on a communicator whose ranks lie on nodes as the map says. Ranks of a node need not follow
/// each other, so the operator must commute.
template <class Communicator>
void collectives_on_nodes(Communicator& comm, const node_map& map, const std::string& which) {
  const int p = comm.size(), me = comm.rank();
  comm.arrange(map[std::size_t(me)]);
  auto& node = comm.node();
  auto& leaders = comm.leaders();

  // What the groups must be, from the map alone.
  int members = 0, above = 0, leading = 0;
  bool leads = true, even = true;
  std::vector<int> leader_of(std::size_t(p), 0), place_of(std::size_t(p), 0), number_of_leader(std::size_t(p), -1);
  for (int rank = 0; rank < p; ++rank) {
    int first = rank, place = 0, size = 0;
    for (int other = 0; other < p; ++other) {
      if (map[std::size_t(other)] != map[std::size_t(rank)]) continue;
      ++size;
      if (other < first) first = other;
      if (other < rank) ++place;
    }
    leader_of[std::size_t(rank)] = first;
    place_of[std::size_t(rank)] = place;
    if (first == rank) number_of_leader[std::size_t(rank)] = leading++;
    if (rank == me) members = size, above = place, leads = first == me;
  }
  for (int rank = 0; rank < p; ++rank) {
    int size = 0;
    for (int other = 0; other < p; ++other) size += map[std::size_t(other)] == map[std::size_t(rank)];
    even = even && size == members;
  }
  if (node.size() != members || node.rank() != above) fail_case(comm, which + "node() is another group");
  if (leaders.active() != leads || (leads && leaders.size() != leading))
    fail_case(comm, which + "leaders() is another group");

  for (const std::size_t count : {std::size_t(1), std::size_t(1003), std::size_t(70001)}) {
    const ints own = data_of(me, count, count), total = sum_of(p, count, count);
    ints sum = own;
    tutti::reduce(node, sum, tutti::sum{});
    if (leads) tutti::all_reduce(leaders, sum, tutti::sum{});
    tutti::broadcast(node, sum);
    expect_bits(comm, which + "all_reduce by nodes", sum, total);
    sum = own;
    tutti::reduce(node, sum, tutti::sum{}, 0, tutti::tree{});
    if (leads) tutti::all_reduce(leaders, sum, tutti::sum{}, tutti::ring{});
    tutti::broadcast(node, sum, 0, tutti::tree{});
    expect_bits(comm, which + "all_reduce by nodes and messages", sum, total);
    for (int root = 0; root < p; root += 3) {
      const auto at = std::size_t(root);
      const bool near = map[at] == map[std::size_t(me)];
      ints given = me == root ? data_of(root, count, 8) : ints(count, -1);
      if (near) tutti::broadcast(node, given, place_of[at]);
      if (leads) tutti::broadcast(leaders, given, number_of_leader[std::size_t(leader_of[at])]);
      tutti::broadcast(node, given);
      expect_bits(comm, which + "broadcast by nodes", given, data_of(root, count, 8));
    }
    if (even) {  // each rank reduces a part of its node's, across
      auto& lanes = comm.lanes();
      if (lanes.size() != p / members) fail_case(comm, which + "lanes() is another group");
      ints shard = tutti::reduce_scatter(node, own, tutti::sum{}), whole(count);
      tutti::all_reduce(lanes, shard, tutti::sum{});
      tutti::all_gather(node, shard, whole);
      expect_bits(comm, which + "all_reduce by lanes", whole, total);
    }
  }
}

/// Case 33 (ompi PR#14202).
template <class Transport>
void nodes_of_every_shape() {
  in_world<Transport>(reduced ? 5 : 8, [](typename Transport::communicator& comm) {
    int number = 0;
    for (const node_map& map : node_maps()) {
      const std::string which = "map " + std::to_string(number++) + ": ";
      auto same = comm.duplicate();
      collectives_on_nodes(same, map, which);
      auto reversed = comm.split(0, -comm.rank());
      collectives_on_nodes(reversed, map, which + "reversed, ");
      // Two parts at once, each in an order of its own, on the nodes that its ranks have in the whole.
      const int color = comm.rank() % 3 == 0 ? 1 : 0;
      auto part = comm.split(color, (comm.rank() * 5) % 8 - 20 * color);
      const ints nodes = tutti::all_gather(part, ints{map[std::size_t(comm.rank())]});
      collectives_on_nodes(part, nodes, which + "a part, ");
    }
  });
}

/// Case 34 (nccl#13, rccl#2191): four threads of each rank, each with a communicator of its own.
template <class Transport>
void four_threads_a_rank() {
  using communicator = typename Transport::communicator;
  in_world<Transport>(reduced ? 2 : 3, [](communicator& comm) {
    std::vector<std::unique_ptr<communicator>> all;
    for (int i = 0; i < 4; ++i) all.emplace_back(new communicator(comm.duplicate()));  // which can't be moved
    std::exception_ptr failures[4];
    std::vector<std::thread> threads_of_rank;
    for (std::size_t i = 0; i < 4; ++i)
      threads_of_rank.emplace_back([&mine = *all[i], &failure = failures[i], i] {
        try {
          const int p = mine.size(), me = mine.rank();
          for (std::uint64_t call = 0; call < (reduced ? 100u : 1000u); ++call) {
            const std::uint64_t salt = call * 4 + i;
            const std::size_t count = call % 100 == 0 ? 70000 : 1 + call % 60;
            const ints own = data_of(me, count, salt);
            guarded<std::int32_t> out(count);
            if (call % 4 == 3) {
              tutti::send_recv(mine, (me + 1) % p, own, (me + p - 1) % p, out.span());
              expect_bits(mine, "send_recv of a thread", out, data_of((me + p - 1) % p, count, salt));
              continue;
            }
            if (call % 4 == 0)
              tutti::all_reduce(mine, own, out.span(), tutti::sum{});
            else if (call % 4 == 1)
              tutti::all_reduce(mine, own, out.span(), tutti::sum{}, tutti::ring{});
            else
              tutti::async::all_reduce(mine, own, out.span(), tutti::sum{}).wait();
            expect_bits(mine, "all_reduce of a thread", out, sum_of(p, count, salt));
          }
        } catch (...) {
          failure = std::current_exception();
        }
      });
    for (auto& thread : threads_of_rank) thread.join();
    for (const auto& failure : failures)
      if (failure) std::rethrow_exception(failure);
    expect_in_step(comm, "threads on duplicates");
  });
}

#if !defined(NDEBUG)
/// Case 34: of two threads on one communicator the second hears of it, while the first one's call goes on. The last
/// rank comes only when all others have seen that.
template <class Transport>
void two_threads_on_one_communicator() {
  for (const int size : {2, 3}) {
    witness refused;
    in_world<Transport>(size, [&refused](typename Transport::communicator& comm) {
      const int last = comm.size() - 1;
      if (comm.rank() == last) {
        for (int rank = 0; rank < last; ++rank)
          while (refused[rank].load() == 0) usleep(100);
        tutti::barrier(comm);
      } else {
        std::string heard[2];
        const auto attempt = [&](std::string& what) {
          try {
            tutti::barrier(comm);
          } catch (const tutti::error& failure) {
            what = failure.what();
            refused[comm.rank()].store(1);
          }
        };
        std::thread other(attempt, std::ref(heard[0]));
        attempt(heard[1]);
        other.join();
        const std::string both = heard[0] + heard[1],
                          expected = "a call on rank " + std::to_string(comm.rank()) +
                                     ": another thread is in a call on the same communicator";
        if (both.rfind(expected, 0) != 0 || (!heard[0].empty() && !heard[1].empty()))
          fail_case(comm, "two threads on one communicator heard: " + both);
      }
      expect_in_step(comm, "a refused thread");
    });
  }
}
#endif

}  // namespace conformance
