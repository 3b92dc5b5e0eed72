// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Cases 3, 5, 12, 13, 15, 19: arguments that only some ranks need, counts of nothing, places with holes, and several
// outputs.

#include "cases.hpp"

#include <tutti/async.hpp>
#include <tutti/plan.hpp>

#include <algorithm>

namespace conformance {

/// Case 3 (ompi#12383): who is not the root passes nothing for the root's argument.
template <class Transport>
void root_only_arguments() {
  namespace on = tutti::collective;
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    const std::span<const std::int32_t> no_input;
    const std::span<std::int32_t> no_room;
    for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(p) * 3 + 1, std::size_t(1003)})
      for (int root = 0; root<p; root += p> 5 ? 3 : 1) {
        const std::uint64_t salt = count + 7;
        const ints whole = data_of(root, count, salt), all = shards_of(p, count, salt);
        const tutti::range mine = tutti::shard(count, p, me);
        const ints part(whole.begin() + std::ptrdiff_t(mine.first), whole.begin() + std::ptrdiff_t(mine.end()));
        with_each<on::scatter, communicator, std::int32_t, void>(some_algorithms{}, [&](auto how, const auto& what) {
          guarded<std::int32_t> out(mine.count);
          if (me == root)
            tutti::scatter(comm, whole, out.span(), root, how);
          else
            tutti::scatter(comm, no_input, out.span(), root, how);
          expect_bits(comm, what, out, part);
        });
        with_each<on::gather, communicator, std::int32_t, void>(some_algorithms{}, [&](auto how, const auto& what) {
          guarded<std::int32_t> out(me == root ? count : 0);
          tutti::gather(comm, shard_of(me, p, count, salt), me == root ? out.span() : no_room, root, how);
          expect_bits(comm, what, out, me == root ? all : ints{});
        });
      }
  });
}

/// Case 3 on nodes of two: the leaders scatter pairs, each node scatters its pair.
template <class Transport>
void root_only_arguments_on_nodes() {
  in_world<Transport>(6, [](typename Transport::communicator& comm) {
    comm.arrange(comm.rank() / 2);
    auto& node = comm.node();
    auto& leaders = comm.leaders();
    for (const std::size_t each : {std::size_t(1), std::size_t(40), std::size_t(30011)}) {
      const ints whole = data_of(0, 6 * each, each);
      ints pair(leaders.active() ? 2 * each : 0, -1);
      if (leaders.active()) tutti::scatter(leaders, leaders.rank() == 0 ? whole : ints{}, pair);
      guarded<std::int32_t> out(each);
      tutti::scatter(node, pair, out.span());
      const auto first = whole.begin() + std::ptrdiff_t(std::size_t(comm.rank()) * each);
      expect_bits(comm, "scatter over leaders, then in nodes", out, ints(first, first + std::ptrdiff_t(each)));
    }
  });
}

/// Case 5 (ompi PR#12269): parts of nothing between parts of something.
template <class Transport>
void sparse_exchanges() {
  namespace on = tutti::collective;
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    using pattern = bool (*)(int from, int to, int size);
    const pattern patterns[] = {
        [](int from, int to, int) { return (from + to) % 2 == 1; },  // every other one
        [](int from, int, int) { return from != 0; },                // a row of nothing
        [](int, int to, int) { return to != 0; },                    // a column of nothing
        [](int from, int to, int size) { return from != size - 1 && to != size - 1; },
        [](int from, int to, int size) { return from == 0 && to == size - 1; },
        [](int from, int to, int) { return from == to; },
        [](int, int, int) { return false; },
    };
    for (const pattern sends : patterns)
      for (const std::size_t each : {std::size_t(1), std::size_t(1000), std::size_t(reduced ? 3000 : 70001)}) {
        if (each > 1000 && p > 5) continue;
        std::vector<std::size_t> sent(std::size_t(p), 0), received(std::size_t(p), 0);
        ints in, expected;
        std::vector<ints> parts, places;
        for (int peer = 0; peer < p; ++peer) {
          if (sends(me, peer, p)) sent[std::size_t(peer)] = each + std::size_t(peer);
          if (sends(peer, me, p)) received[std::size_t(peer)] = each + std::size_t(me);
          parts.push_back(data_of(me, sent[std::size_t(peer)], std::uint64_t(peer)));
          places.emplace_back(received[std::size_t(peer)], -1);
          const ints theirs = data_of(peer, received[std::size_t(peer)], std::uint64_t(me));
          in.insert(in.end(), parts.back().begin(), parts.back().end());
          expected.insert(expected.end(), theirs.begin(), theirs.end());
        }
        with_each<on::all_to_all_v, communicator, std::int32_t, void>(
            some_algorithms{}, [&](auto how, const auto& what) {
              guarded<std::int32_t> out(expected.size());
              tutti::all_to_all_v(comm, in, sent, out.span(), received, how);
              expect_bits(comm, what, out, expected);
            });
        const auto got = tutti::all_to_all_v(comm, in, sent);
        expect_bits(comm, "all_to_all_v that returns", got.elements, expected);
        expect_bits(comm, "counts of all_to_all_v", got.counts, received);
        tutti::all_to_all(comm, parts, places);
        ints joined;
        for (const ints& one : places) joined.insert(joined.end(), one.begin(), one.end());
        expect_bits(comm, "all_to_all of lists", joined, expected);
      }
  });
}

/// Cases 12 and 13 (gloo#179, boost mpi#166): no elements and no memory in what the older parts of the suite don't try.
template <class Communicator, class Algorithm>
void nothing_by(Communicator& comm, Algorithm how) {
  namespace on = tutti::collective;
  const std::span<const double> in;
  const std::span<double> out;
  const int root = comm.size() - 1;
  const auto served = [&]<class Collective>(Collective, auto&& call) {
    if constexpr (serves<Communicator, Algorithm, Collective, double, tutti::sum>()) {
      call(how);
      expect_in_step(comm, std::string(Collective::name) + " of nothing");
    }
  };
  const std::vector<std::span<const double>> inputs(std::size_t(comm.size()));
  const std::vector<std::span<double>> outputs(std::size_t(comm.size()));
  const std::vector<std::size_t> zeros(std::size_t(comm.size()), 0);
  served(on::gather{}, [&](auto by) { tutti::gather(comm, in, out, root, by); });
  served(on::scatter{}, [&](auto by) { tutti::scatter(comm, in, out, root, by); });
  served(on::all_to_all{}, [&](auto by) { tutti::all_to_all(comm, in, out, by); });
  served(on::scan{}, [&](auto by) { tutti::scan(comm, in, out, tutti::sum{}, by); });
  served(on::exclusive_scan{}, [&](auto by) { tutti::exclusive_scan(comm, out, tutti::sum{}, by); });
  served(on::gather_v{}, [&](auto by) {
    tutti::gather_v(comm, in, out, root, by);
    tutti::gather(comm, in, outputs, root, by);
  });
  served(on::scatter_v{}, [&](auto by) {
    tutti::scatter_v(comm, in, out, root, by);
    tutti::scatter(comm, inputs, out, root, by);
  });
  served(on::all_gather_v{}, [&](auto by) {
    tutti::all_gather_v(comm, in, out, by);
    tutti::all_gather(comm, in, outputs, by);
  });
  served(on::reduce_scatter_v{}, [&](auto by) {
    tutti::reduce_scatter_v(comm, in, out, tutti::sum{}, by);
    tutti::reduce_scatter(comm, inputs, out, tutti::sum{}, by);
  });
  served(on::all_to_all_v{}, [&](auto by) {
    tutti::all_to_all_v(comm, in, zeros, out, zeros, by);
    tutti::all_to_all(comm, inputs, outputs, by);
  });
}

template <class Transport>
void nothing_at_all() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const std::span<const double> in;
        const std::span<double> out;
        const auto all = [&]<class... Algorithms>(list<Algorithms...>) { (nothing_by(comm, Algorithms{}), ...); };
        all(std::conditional_t<reduced, list<tutti::automatic>,
                               list<tutti::automatic, tutti::tree, tutti::pairwise, tutti::recursive_doubling>>{});

        const int next = (comm.rank() + 1) % comm.size(), last = (comm.rank() + comm.size() - 1) % comm.size();
        tutti::send_recv(comm, next, in, last, out, 4);
        auto taken = tutti::async::recv(comm, last, out, 5);
        tutti::send(comm, next, in, 5);
        taken.wait();
        auto sent = tutti::async::send(comm, next, in, 6);
        if (!tutti::recv<double>(comm, last, 6).empty()) fail_case(comm, "a message of nothing has elements");
        sent.wait();
        auto first = tutti::async::all_reduce(comm, out, tutti::max{});
        auto second = tutti::async::all_gather(comm, in, out);
        auto third = tutti::async::all_to_all(comm, std::vector<double>{});
        if (!third.get().empty()) fail_case(comm, "a request for nothing gives elements");
        tutti::wait_all(first, second);
        auto steps = tutti::plan(comm, [&](auto& later) {
          tutti::all_reduce(later, out, tutti::sum{});
          tutti::broadcast(later, out, 0, tutti::tree{});
        });
        steps.run();
        steps.start();
        steps.wait();
        if (tutti::all_gather_v(comm, in).counts.size() != std::size_t(comm.size()))
          fail_case(comm, "all_gather_v of nothing doesn't count the ranks");
        expect_in_step(comm, "messages, requests and plans of nothing");
      },
      5);
}

/// Case 15 (ompi PR#2805): each block at a place of its own, in the opposite order, with holes that nobody may touch.
template <class Transport>
void places_with_holes() {
  namespace on = tutti::collective;
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    const auto length = [](int rank) { return std::size_t(rank % 3) * 5; };  // some have nothing
    constexpr std::size_t hole = 3, room = 10 + hole;
    const auto at = [p](int rank) { return std::size_t(p - 1 - rank) * room + 1; };
    const std::size_t total = std::size_t(p) * room;
    const auto check = [&](const std::string& what, guarded<std::int32_t>& out, auto&& from) {
      ints expected(total);
      std::memset(static_cast<void*>(expected.data()), 0xEE, total * sizeof(std::int32_t));
      for (int rank = 0; rank < p; ++rank) {
        const ints block = from(rank);
        for (std::size_t i = 0; i < block.size(); ++i) expected[at(rank) + i] = block[i];
      }
      expect_bits(comm, what, out, expected);
    };
    const auto places = [&](guarded<std::int32_t>& out, auto&& count) {
      std::vector<std::span<std::int32_t>> list;
      for (int rank = 0; rank < p; ++rank) list.push_back(out.span().subspan(at(rank), count(rank)));
      return list;
    };
    const ints own = data_of(me, length(me), 1);
    with_each<on::all_gather_v, communicator, std::int32_t, void>(some_algorithms{}, [&](auto how, const auto& what) {
      guarded<std::int32_t> out(total);
      tutti::all_gather(comm, own, places(out, length), how);
      check(what + ", into a list", out, [&](int rank) { return data_of(rank, length(rank), 1); });
    });
    for (int root = 0; root<p; root += p> 5 ? 3 : 1) {
      with_each<on::gather_v, communicator, std::int32_t, void>(some_algorithms{}, [&](auto how, const auto& what) {
        guarded<std::int32_t> out(total);
        tutti::gather(comm, own, places(out, length), root, how);
        if (me == root)
          check(what + ", into a list", out, [&](int rank) { return data_of(rank, length(rank), 1); });
        else
          expect_untouched(comm, what, out);
      });
      with_each<on::scatter_v, communicator, std::int32_t, void>(some_algorithms{}, [&](auto how, const auto& what) {
        guarded<std::int32_t> in(total), out(length(me));
        const auto list = places(in, length);
        for (int rank = 0; rank < p; ++rank) {
          const ints block = data_of(rank, length(rank), std::uint64_t(root));
          std::copy(block.begin(), block.end(), list[std::size_t(rank)].begin());
        }
        tutti::scatter(comm, me == root ? list : std::vector<std::span<std::int32_t>>{}, out.span(), root, how);
        expect_bits(comm, what + ", from a list", out, data_of(me, length(me), std::uint64_t(root)));
      });
    }
    with_each<on::reduce_scatter_v, communicator, std::int32_t, tutti::sum>(
        some_algorithms{}, [&](auto how, const auto& what) {
          guarded<std::int32_t> in(total), out(length(me));
          const auto list = places(in, length);
          for (int rank = 0; rank < p; ++rank) {
            const ints block = data_of(me, length(rank), std::uint64_t(rank));
            std::copy(block.begin(), block.end(), list[std::size_t(rank)].begin());
          }
          tutti::reduce_scatter(comm, list, out.span(), tutti::sum{}, how);
          expect_bits(comm, what + ", from a list", out, sum_of(p, length(me), std::uint64_t(me)));
        });
    guarded<std::int32_t> out(total);
    std::vector<ints> parts;
    for (int rank = 0; rank < p; ++rank) parts.push_back(data_of(me, length(me + rank), std::uint64_t(rank)));
    tutti::all_to_all(comm, parts, places(out, [&](int rank) { return length(me + rank); }));
    check("all_to_all into a list", out, [&](int rank) { return data_of(rank, length(me + rank), std::uint64_t(me)); });
  });
}

/// Case 19 (gloo#152): every one of several outputs gets its result, in lists and in requests side by side.
template <class Transport>
void several_outputs() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    for (const std::size_t count : {std::size_t(3), std::size_t(2000), std::size_t(reduced ? 5000 : 100003)}) {
      if (count > 2000 && comm.size() > 5) continue;
      std::vector<guarded<std::int32_t>> outputs;
      std::vector<ints> inputs;
      std::vector<tutti::request<void>> requests;
      for (std::uint64_t i = 0; i < 6; ++i) {
        outputs.emplace_back(count);
        inputs.push_back(data_of(comm.rank(), count, i));
      }
      for (std::size_t i = 0; i < 6; ++i)
        requests.push_back(tutti::async::all_reduce(comm, inputs[i], outputs[i].span(), tutti::sum{}));
      tutti::wait_all(requests);
      for (std::size_t i = 0; i < 6; ++i)
        expect_bits(comm, "output " + std::to_string(i) + " of six", outputs[i], sum_of(comm.size(), count, i));

      std::vector<ints> list(std::size_t(comm.size()), ints(count, -1));
      tutti::all_gather(comm, inputs[5], list);
      for (int rank = 0; rank < comm.size(); ++rank)
        expect_bits(comm, "output " + std::to_string(rank) + " of a list", list[std::size_t(rank)],
                    data_of(rank, count, 5));
    }
  });
}

}  // namespace conformance
