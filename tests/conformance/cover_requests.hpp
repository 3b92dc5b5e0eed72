// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Requests and plans do what the blocking calls do: on the same memory, by every way to execute a call.

#include "elements.hpp"
#include "world.hpp"

#include <chrono>
#include <deque>
#include <utility>

namespace conformance {

inline std::vector<std::size_t> request_lengths(int size) {
  if (reduced) return {0, 1, 1000};
  return {0, 1, std::size_t(size) + 1, 1000, 140001};
}
inline std::vector<int> drawn(int rank, std::size_t count, std::uint64_t salt) {
  std::vector<int> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = sample<int>(domain::sums, rank, i, salt);
  return made;
}

/// All collectives once as requests that are under way together, once as calls.
template <class Communicator, class... Options>
void every_collective(Communicator& comm, std::size_t count, const Options&... options) {
  const int p = comm.size(), me = comm.rank(), root = p / 2;
  const auto full = drawn(me, count, 1);
  const auto own = drawn(me, tutti::shard(count, p, me).count, 2);
  const auto each = drawn(me, count * std::size_t(p), 3);
  const auto uneven = drawn(me, std::size_t(me % 3) * count / 2, 4);
  std::vector<std::size_t> lengths(static_cast<std::size_t>(p));
  for (std::size_t to = 0; to < lengths.size(); ++to) lengths[to] = (std::size_t(me) + to) % 2 * count;
  std::size_t given = 0;
  for (const std::size_t length : lengths) given += length;
  const auto parts = drawn(me, given, 5);
  const std::vector<int> whole_at_root(me == root ? drawn(me, count, 6) : std::vector<int>());

  struct outputs {
    std::vector<int> summed, reduced_at_root, spread, gathered, at_root, scattered, folded, swapped, scanned, below,
        everyone;
  };
  const auto room = [&] {
    return outputs{std::vector<int>(count, -1),
                   std::vector<int>(me == root ? count : 0, -1),
                   full,
                   std::vector<int>(count, -1),
                   std::vector<int>(me == root ? count : 0, -1),
                   std::vector<int>(own.size(), -1),
                   std::vector<int>(own.size(), -1),
                   std::vector<int>(each.size(), -1),
                   std::vector<int>(count, -1),
                   std::vector<int>(count, -1),
                   {}};
  };
  outputs now = room(), later = room();
  std::vector<tutti::request<void>> all;
  namespace async = tutti::async;
  all.push_back(async::all_reduce(comm, full, later.summed, tutti::sum{}, options...));
  all.push_back(async::reduce(comm, full, later.reduced_at_root, tutti::max{}, root));
  all.push_back(async::broadcast(comm, later.spread, root));
  all.push_back(async::all_gather(comm, own, later.gathered, options...));
  all.push_back(async::gather(comm, own, later.at_root, root));
  all.push_back(async::barrier(comm));
  all.push_back(async::scatter(comm, whole_at_root, later.scattered, root));
  all.push_back(async::reduce_scatter(comm, full, later.folded, tutti::sum{}, options...));
  all.push_back(async::all_to_all(comm, each, later.swapped));
  all.push_back(async::scan(comm, full, later.scanned, tutti::sum{}));
  all.push_back(async::exclusive_scan(comm, full, later.below, tutti::sum{}));
  auto everyone = async::all_gather_v(comm, uneven);
  auto at_root = async::gather_v(comm, uneven, root);
  auto exchanged = async::all_to_all_v(comm, parts, lengths);
  auto shard = async::reduce_scatter(comm, full, tutti::min{}, options...);
  const auto last_first = [&] {
    for (std::size_t i = all.size(); i-- > 0;) all[i].wait();
  };
  if (me % 2 == 0) last_first();

  tutti::all_reduce(comm, full, now.summed, tutti::sum{}, options...);
  tutti::reduce(comm, full, now.reduced_at_root, tutti::max{}, root);
  tutti::broadcast(comm, now.spread, root);
  tutti::all_gather(comm, own, now.gathered, options...);
  tutti::gather(comm, own, now.at_root, root);
  tutti::scatter(comm, whole_at_root, now.scattered, root);
  tutti::reduce_scatter(comm, full, now.folded, tutti::sum{}, options...);
  tutti::all_to_all(comm, each, now.swapped);
  tutti::scan(comm, full, now.scanned, tutti::sum{});
  tutti::exclusive_scan(comm, full, now.below, tutti::sum{});
  // A call on the same communicator comes after what was issued before it.
  for (auto& one : all) expect(comm, one.test(), "a request that a later call has overtaken", long(count));

  expect(comm, now.summed == later.summed, "async::all_reduce", long(count));
  expect(comm, now.reduced_at_root == later.reduced_at_root, "async::reduce", long(count));
  expect(comm, now.spread == later.spread, "async::broadcast", long(count));
  expect(comm, now.gathered == later.gathered, "async::all_gather", long(count));
  expect(comm, now.at_root == later.at_root, "async::gather", long(count));
  expect(comm, now.scattered == later.scattered, "async::scatter", long(count));
  expect(comm, now.folded == later.folded, "async::reduce_scatter", long(count));
  expect(comm, now.swapped == later.swapped, "async::all_to_all", long(count));
  expect(comm, now.scanned == later.scanned, "async::scan", long(count));
  expect(comm, now.below == later.below, "async::exclusive_scan", long(count));
  const auto counted = everyone.get(), counted_now = tutti::all_gather_v(comm, uneven);
  expect(comm, counted.elements == counted_now.elements && counted.counts == counted_now.counts, "async::all_gather_v");
  const auto there = at_root.get(), there_now = tutti::gather_v(comm, uneven, root);
  expect(comm, there.elements == there_now.elements && there.counts == there_now.counts, "async::gather_v");
  const auto got = exchanged.get(), got_now = tutti::all_to_all_v(comm, parts, lengths);
  expect(comm, got.elements == got_now.elements && got.counts == got_now.counts, "async::all_to_all_v");
  expect(comm, shard.get() == tutti::reduce_scatter(comm, full, tutti::min{}, options...), "async::reduce_scatter's");

  // The rest of the _v forms, into the caller's memory.
  std::vector<int> uneven_again(uneven.size(), -1), uneven_sum(uneven.size(), -1), all_uneven(counted.elements.size());
  auto scatters = async::scatter_v(comm, there.elements, uneven_again, root);
  auto gathers = async::all_gather_v(comm, uneven, all_uneven, options...);
  tutti::wait_all(gathers, scatters);
  expect(comm, uneven_again == uneven, "async::scatter_v");
  expect(comm, all_uneven == counted.elements, "async::all_gather_v into memory");
  auto folds = async::reduce_scatter_v(comm, all_uneven, uneven_sum, tutti::max{});
  folds.wait();
  expect(comm, uneven_sum == uneven, "async::reduce_scatter_v");
}

template <class Transport>
void requests_as_calls() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        for (const std::size_t count : request_lengths(comm.size())) {
          every_collective(comm, count);
          if constexpr (thorough<typename Transport::communicator>)
            every_collective(comm, count, tutti::tree{}, tutti::chunked<256>{});
        }
      },
      9);
}

/// What is moved in comes back by get(), however long the request has been over; dropped requests are waited for.
template <class Transport>
void owned_and_dropped() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    for (const std::size_t count : request_lengths(p)) {
      std::vector<int> data(count, me + 1);
      const int* const memory = data.data();
      auto sum = tutti::async::all_reduce(comm, std::move(data), tutti::sum{}, tutti::ring{});
      auto elsewhere = std::move(sum);
      expect(comm, !sum.valid() && elsewhere.valid() && sum.test(), "a request that was moved from");
      const auto back = elsewhere.get();
      expect(comm, back.size() == count && all_are(back, p * (p + 1) / 2), "what was moved in", long(count));
      expect(comm, count == 0 || back.data() == memory, "get() copies");
      elsewhere.wait();  // again

      auto both = tutti::async::all_reduce(comm, std::vector<int>(count, me), std::vector<int>(count), tutti::max{});
      auto [in, out] = both.get();
      expect(comm, all_are(in, me) && all_are(out, p - 1) && out.size() == count, "two vectors moved in");
      expect(comm, tutti::async::all_gather(comm, std::vector<int>(1, me)).get().size() == std::size_t(p),
             "a vector moved in, another one returned");

      std::vector<int> dropped(count, 1);
      { const auto gone = tutti::async::all_reduce(comm, dropped, tutti::sum{}, tutti::tree{}); }
      expect(comm, all_are(dropped, p), "a dropped request was not waited for", long(count));
      auto slot = tutti::async::all_reduce(comm, dropped, tutti::sum{});
      std::vector<int> next(count, me);
      slot = tutti::async::all_reduce(comm, next, tutti::max{});
      slot.wait();
      expect(comm, all_are(dropped, p * p) && all_are(next, p - 1), "an assigned request", long(count));
    }
    tutti::request<void> nothing;
    nothing.wait();
    expect(comm, nothing.test() && nothing.cancel() && !nothing.valid(), "a request of nothing");
  });
}

/// Ranks wait for the requests of three communicators in orders of their own, in all ways to wait.
template <class Transport>
void waits_in_any_order() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        auto second = comm.duplicate(), third = comm.duplicate();
        typename Transport::communicator* const all[] = {&comm, &second, &third};
        const int p = comm.size(), me = comm.rank();
        for (int turn = 0; turn < (reduced ? 10 : 25); ++turn) {
          constexpr std::size_t each = 4;
          std::deque<std::vector<int>> data;
          std::vector<tutti::request<void>> some;
          for (std::size_t i = 0; i < 3 * each; ++i) {
            const std::size_t count = scramble(std::uint64_t(turn), i) % (i == 5 ? 90000 : 2000);
            data.emplace_back(count, me + int(i % each));
          }
          // Ranks issue in orders of their own too, but for the calls of one communicator.
          std::size_t of[3] = {};
          for (std::size_t k = 0; k < 3 * each; ++k) {
            std::size_t pick = scramble(std::uint64_t(turn * 64 + me), k) % 3;
            while (of[pick] == each) pick = (pick + 1) % 3;
            auto& room = data[pick * each + of[pick]++];
            some.push_back(of[pick] % 2 == 0 ? tutti::async::all_reduce(*all[pick], room, tutti::max{}, tutti::ring{})
                                             : tutti::async::all_reduce(*all[pick], room, tutti::max{}));
          }
          switch ((turn + me) % 5) {
            case 0:
              tutti::wait_all(some);
              break;
            case 1:
              for (std::size_t i = some.size(); i-- > 0;) some[i].wait();
              break;
            case 2:
              for (std::size_t left = some.size(); left > 0; --left) {
                const std::size_t which = tutti::wait_any(some);
                expect(comm, some[which].test(), "wait_any returns what has not ended", turn);
                some.erase(some.begin() + std::ptrdiff_t(which));
              }
              break;
            case 3:
              for (auto& one : some)
                while (!one.wait_for(std::chrono::microseconds(50))) {
                }
              break;
            default:
              for (bool ended = false; !ended;) {
                ended = true;
                for (auto& one : some) ended = one.test() && ended;
              }
          }
          some.clear();
          for (std::size_t i = 0; i < data.size(); ++i)
            expect(comm, all_are(data[i], p - 1 + int(i % each)), "requests of three communicators", turn);
        }
      },
      9);
}

/// A plan runs its calls on what its ranges hold at that time.
template <class Communicator, class... Options>
void plan_of_calls(Communicator& comm, std::size_t count, const Options&... options) {
  const int p = comm.size(), me = comm.rank(), root = p - 1;
  std::vector<int> summed(count), most(count), spread(count), whole(count), own(tutti::shard(count, p, me).count),
      shard(own.size()), scanned(count), lengthy(std::size_t(me % 2) * count), rows(std::size_t(p) * 3), turned(rows);
  std::size_t total = 0;
  for (int r = 0; r < p; ++r) total += std::size_t(r % 2) * count;
  std::vector<int> joined(total);
  auto step = tutti::plan(comm, [&](auto& record) {
    tutti::all_reduce(record, summed, tutti::sum{}, options...);
    tutti::all_reduce(record, summed, most, tutti::max{});  // of what the call before gave
    tutti::broadcast(record, spread, root, options...);
    tutti::barrier(record);
    tutti::all_gather(record, own, whole, options...);
    tutti::reduce_scatter(record, whole, shard, tutti::sum{}, options...);
    tutti::scan(record, spread, scanned, tutti::sum{});
    tutti::all_gather_v(record, lengthy, joined);
    tutti::all_to_all(record, rows, turned);
  });
  for (int turn = 0; turn < 6; ++turn) {
    const auto fill = [](std::vector<int>& range, int value) { range.assign(range.size(), value); };
    fill(summed, me + turn);
    fill(spread, me == root ? 100 + turn : -1);
    fill(own, me * 10 + turn);
    fill(lengthy, me + turn * 7);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = me * 1000 + int(i / 3) + turn;
    for (auto* range : {&most, &whole, &shard, &scanned, &joined, &turned}) fill(*range, -7);
    if (turn % 3 == 0) {
      step.run();
    } else {
      step.start();
      std::vector<int> between(10, me);
      tutti::all_reduce(comm, between, tutti::max{});  // after the plan's calls
      expect(comm, all_are(between, p - 1), "a call between start and wait", turn);
      if (turn % 3 == 1)
        step.wait();
      else
        expect(comm, step.test(), "a plan that a later call has overtaken", turn);
    }
    const int sum = p * (p - 1) / 2 + p * turn;
    expect(comm, all_are(summed, sum) && all_are(most, sum), "all_reduce of a plan", turn);
    expect(comm, all_are(spread, 100 + turn), "broadcast of a plan", turn);
    expect(comm, all_are(scanned, (me + 1) * (100 + turn)), "scan of a plan", turn);
    std::size_t i = 0;
    bool right = true;
    for (int r = 0; r < p; ++r)
      for (const std::size_t end = i + tutti::shard(count, p, r).count; i < end; ++i)
        right = right && whole[i] == r * 10 + turn;
    expect(comm, right, "all_gather of a plan", turn);
    expect(comm, all_are(shard, p * (me * 10 + turn)), "reduce_scatter of a plan", turn);
    i = 0;
    for (int r = 1; r < p; r += 2)
      for (std::size_t k = 0; k < count; ++k, ++i) right = right && joined[i] == r + turn * 7;
    expect(comm, right, "all_gather_v of a plan", turn);
    for (i = 0; i < turned.size(); ++i) right = right && turned[i] == int(i / 3) * 1000 + me + turn;
    expect(comm, right, "all_to_all of a plan", turn);
  }
}

/// By loads and stores, by messages, and alone.
template <class Transport>
void plans() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        for (const std::size_t count : request_lengths(comm.size())) {
          plan_of_calls(comm, count, tutti::tree{}, tutti::chunked<4096>{});
          if constexpr (thorough<typename Transport::communicator>) plan_of_calls(comm, count);
        }
        // Two plans at once, on communicators of their own.
        auto twin = comm.duplicate();
        std::vector<int> here(3000), there(3000);
        auto one = tutti::plan(comm, [&](auto& on) { tutti::all_reduce(on, here, tutti::sum{}, tutti::tree{}); });
        auto two = tutti::plan(twin, [&](auto& on) { tutti::all_reduce(on, there, tutti::max{}, tutti::direct{}); });
        for (int turn = 0; turn < 20; ++turn) {
          here.assign(here.size(), turn);
          there.assign(there.size(), comm.rank() + turn);
          one.start();
          two.start();
          if (comm.rank() % 2 == 0) two.wait();
          one.wait();
          two.wait();
          expect(comm, all_are(here, turn * comm.size()) && all_are(there, comm.size() - 1 + turn), "two plans", turn);
        }
      },
      9);
}

}  // namespace conformance
