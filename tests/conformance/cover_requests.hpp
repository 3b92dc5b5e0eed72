// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Requests and plans: the same results as the calls, in whatever order they are waited for.

#include "expect.hpp"
#include "world.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace conformance {

inline std::vector<int> numbers(std::size_t count, int rank) {
  std::vector<int> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = rank * 1000 + int(i % 997);
  return made;
}

/// Every collective as a request, all under way at once, against the call of the same name.
template <class Transport>
void requests_equal_calls() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int r = comm.rank(), p = comm.size();
        for (const std::size_t n : {std::size_t(0), std::size_t(p), std::size_t(1009) * std::size_t(p)}) {
          const auto in = numbers(n, r);
          const auto shard = tutti::shard(n, p, r);
          const auto own = numbers(shard.count, r);
          std::vector<int> a(n), b(n), c = numbers(n, r), d(n), e(n), f(n), g(shard.count), h(n), i(n), j = in;
          std::vector<std::vector<int>> lists(std::size_t(p), std::vector<int>(n, -1));
          auto qa = tutti::async::all_reduce(comm, in, a, tutti::sum{});
          auto qb = tutti::async::reduce(comm, in, b, tutti::max{}, p - 1, tutti::tree{});
          auto qc = tutti::async::broadcast(comm, c, p - 1);
          auto qd = tutti::async::all_gather(comm, own, d, tutti::ring{});
          auto qe = tutti::async::gather(comm, own, e, 0);
          auto qf = tutti::async::all_to_all(comm, in, f);
          auto qg = tutti::async::reduce_scatter(comm, in, g, tutti::min{});
          auto qh = tutti::async::scan(comm, in, h, tutti::sum{}, tutti::chunked<256>{});
          auto qi = tutti::async::exclusive_scan(comm, in, i, tutti::sum{});
          auto qj = tutti::async::all_gather(comm, in, lists);
          auto qk = tutti::async::barrier(comm);
          auto ql = tutti::async::scatter(comm, e, std::vector<int>(shard.count), 0);
          auto qm = tutti::async::gather_v(comm, own, 0);
          auto qn = tutti::async::all_to_all(comm, in);
          qk.wait();
          tutti::wait_all(qj, qi, qa, qb, qc, qd, qe, qf, qg, qh);

          std::vector<int> x(n);
          tutti::all_reduce(comm, in, x, tutti::sum{});
          expect(a == x, "async::all_reduce", r);
          tutti::reduce(comm, in, x, tutti::max{}, p - 1);
          if (r == p - 1) expect(b == x, "async::reduce", r);
          expect(c == numbers(n, p - 1), "async::broadcast", r);
          tutti::all_gather(comm, own, x);
          expect(d == x && (r != 0 || e == x), "async::all_gather and gather", r);
          expect(ql.get() == own, "async::scatter of what async::gather gave", r);
          const auto shards = qm.get();
          expect(shards.elements == (r == 0 ? x : std::vector<int>()), "async::gather_v", r);
          tutti::all_to_all(comm, in, x);
          expect(f == x && qn.get() == x, "async::all_to_all", r);
          expect(g == tutti::reduce_scatter(comm, in, tutti::min{}), "async::reduce_scatter", r);
          tutti::scan(comm, in, x, tutti::sum{});
          expect(h == x, "async::scan", r);
          if (r != 0) {
            tutti::exclusive_scan(comm, in, x, tutti::sum{});
            expect(i == x, "async::exclusive_scan", r);
          } else {
            tutti::exclusive_scan(comm, in, x, tutti::sum{});
          }
          for (int peer = 0; peer < p; ++peer)
            expect(lists[std::size_t(peer)] == numbers(n, peer), "async::all_gather into a list", r);
        }
      },
      9);
}

/// Waiting in other orders on other ranks, testing, dropping, moving buffers in, calls in between.
template <class Transport>
void requests_in_any_order() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int r = comm.rank(), p = comm.size(), total = p * (p - 1) / 2;
        auto other = comm.duplicate();
        for (const std::size_t n : {std::size_t(1), std::size_t(1009), std::size_t(reduced ? 70001 : 300007)}) {
          std::vector<int> a(n, r), b(n, r);
          auto qa = tutti::async::all_reduce(comm, a, tutti::sum{});
          auto qb = tutti::async::all_reduce(other, b, tutti::sum{}, tutti::ring{});
          if (r % 2 == 0) {
            qa.wait();
            qb.wait();
          } else {
            qb.wait();
            qa.wait();
          }
          qa.wait();  // once more
          expect(a == std::vector<int>(n, total) && b == a, "crossed waits", r);

          // Moved in and given back; the vector's memory is the same.
          std::vector<int> moved(n, r);
          const int* const memory = moved.data();
          auto qc = tutti::async::all_reduce(comm, std::move(moved), tutti::max{});
          auto qd = tutti::async::reduce_scatter(comm, std::vector<int>(n, r), tutti::sum{});
          while (!qd.test()) usleep(10);
          expect(qc.test(), "the one before has ended too", r);
          auto back = qc.get();
          expect(back.data() == memory && back == std::vector<int>(n, p - 1), "moved in", r);
          for (const int value : qd.get()) expect(value == total, "from a vector moved in", r);

          const int next = (r + 1) % p, previous = (r + p - 1) % p;
          auto taking = tutti::async::recv(comm, previous, std::vector<int>(n), 6);
          tutti::async::send(comm, next, std::vector<int>(n, r), 6).wait();
          expect(taking.get() == std::vector<int>(n, previous), "a message from and into vectors moved in", r);

          {
            auto dropped = tutti::async::all_reduce(comm, a, tutti::min{});
            auto taken = std::move(dropped);
            expect(!dropped.valid() && taken.valid(), "moved request", r);
          }
          expect(a[n - 1] == total, "the destructor waits", r);
          auto before = tutti::async::all_reduce(comm, a, tutti::sum{});
          tutti::all_reduce(comm, b, tutti::max{});  // behind it
          expect(before.test() && a[0] == total * p, "a call runs after the requests before it", r);

          std::vector<tutti::request<void>> several;
          std::vector<std::vector<int>> data(5, std::vector<int>(n, r));
          for (auto& one : data)
            several.push_back(tutti::async::all_reduce(several.size() % 2 ? comm : other, one, tutti::sum{}));
          const std::size_t first = tutti::wait_any(several);
          expect(first < 5 && data[first][0] == total, "wait_any", r);
          tutti::wait_all(several);
          for (const auto& one : data) expect(one == std::vector<int>(n, total), "wait_all of a range", r);
        }
        expect(tutti::wait_any(std::vector<tutti::request<void>>{}) == 0, "wait_any of nothing", r);
      },
      5);
}

template <class Transport>
void requests_wait_for() {
  in_world<Transport>(2, [](typename Transport::communicator& comm) {
    using namespace std::chrono_literals;
    std::vector<int> data(100, comm.rank());
    if (comm.rank() == 1) usleep(200000);
    auto under_way = tutti::async::all_reduce(comm, data, tutti::sum{});
    if (comm.rank() == 0) {
      expect(!under_way.wait_for(20ms), "too early", 0);
      expect(!under_way.test(), "still too early", 0);
    }
    expect(under_way.wait_for(20s) && under_way.wait_for(0.0), "in time", comm.rank());
    expect(data[99] == 1, "the sum", comm.rank());

    // A recv that nobody has sent to is taken back; the message that comes later is for somebody else.
    std::vector<int> never(3, 7), later(3);
    auto dropped = tutti::async::recv(comm, 1 - comm.rank(), never, 2);
    expect(!dropped.test() && dropped.cancel() && !dropped.valid(), "cancel", comm.rank());
    tutti::barrier(comm);
    tutti::send_recv(comm, 1 - comm.rank(), std::vector<int>{1, 2, 3}, 1 - comm.rank(), later, 2);
    expect(later == std::vector<int>{1, 2, 3} && never == std::vector<int>{7, 7, 7}, "after cancel", comm.rank());
  });
  // A collective can't be taken back: all hear of it.
  try {
    Transport::launch(3, [](typename Transport::communicator& comm) {
      std::vector<int> data(100, comm.rank());
      auto under_way = tutti::async::all_reduce(comm, data, tutti::sum{});
      if (comm.rank() == 1) {
        expect(!under_way.cancel(), "a collective was taken back", 1);
        return;
      }
      if (comm.rank() == 0) usleep(50000);
      tutti::barrier(comm);
      under_way.wait();
    });
    FAIL_CHECK("a cancelled collective went on");
  } catch (const tutti::error& failure) {
    CHECK(std::string(failure.what()).find("a request was cancelled that its peers had seen") != std::string::npos);
  }
}

/// Prepared once: by loads and stores, by messages, several calls, other data in every run.
template <class Transport>
void plans() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int r = comm.rank(), p = comm.size();
        for (const std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(1009), std::size_t(200003)}) {
          std::vector<int> a(n), b(n), c(n * std::size_t(p)), d(n * std::size_t(p));
          auto step = tutti::plan(comm, [&](auto& record) {
            tutti::all_reduce(record, a, tutti::max{});
            tutti::barrier(record);
            tutti::all_reduce(record, b, tutti::sum{}, tutti::tree{}, tutti::chunked<4096>{});
            tutti::all_to_all(record, c, d);
            tutti::gather(record, b, c, 0);
          });
          for (int turn = 0; turn < 6; ++turn) {
            for (std::size_t i = 0; i < n; ++i) {
              a[i] = r + turn;
              b[i] = r * turn;
            }
            for (std::size_t i = 0; i < c.size(); ++i) c[i] = r * 10000 + int(i / (n == 0 ? 1 : n)) * 10 + turn;
            if (turn % 2 == 0) {
              step.run();
            } else {
              step.start();
              while (turn == 3 && !step.test()) usleep(10);
              step.wait();
            }
            for (const int value : a) expect(value == p - 1 + turn, "planned all_reduce", r);
            for (const int value : b) expect(value == p * (p - 1) / 2 * turn, "planned all_reduce by messages", r);
            for (std::size_t i = 0; i < d.size(); ++i)
              expect(d[i] == int(i / n) * 10000 + r * 10 + turn, "planned all_to_all", r);
            if (r == 0)
              for (const int value : c) expect(value == p * (p - 1) / 2 * turn, "planned gather", r);
          }
        }
      },
      5);
}

}  // namespace conformance
