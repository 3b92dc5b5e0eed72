// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What stands on the collectives: reproducible_reduce, the bucketer, a progress thread.

#include "expect.hpp"
#include "world.hpp"

#include <tutti/bucketer.hpp>
#include <tutti/progress_thread.hpp>
#include <tutti/reproducible.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace conformance {

/// Values of very different magnitude: any other order of additions gives other bits.
inline std::vector<float> rough_values(std::size_t count) {
  std::vector<float> made(count);
  std::uint64_t state = 88172645463325252u;
  for (float& value : made) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    value = std::ldexp(float(state % 2000001) / 1000000.0f - 1.0f, int(state >> 40) % 40 - 20);
  }
  return made;
}

/// The tree by its definition, in one recursion over the whole array.
inline float tree_sum(std::span<const float> all, std::size_t first, std::size_t width) {
  if (width == 1) return all[first];
  const float left = tree_sum(all, first, width / 2);
  return first + width / 2 < all.size() ? left + tree_sum(all, first + width / 2, width / 2) : left;
}

template <class Transport>
void reproducible() {
  const std::size_t most = reduced ? 1009 : 30011;
  const std::vector<float> all = rough_values(most);
  for (const std::size_t n :
       {std::size_t(1), std::size_t(2), std::size_t(7), std::size_t(256), std::size_t(257), most}) {
    const std::span<const float> used(all.data(), n);
    std::size_t width = 1;
    while (width < n) width *= 2;
    const float expected = tree_sum(used, 0, width);
    for (int cut = 0; cut < 3; ++cut)
      in_every_world<Transport>(
          [&](typename Transport::communicator& comm) {
            const auto p = std::size_t(comm.size()), r = std::size_t(comm.rank());
            // Even shares, shares that grow, all on the last rank.
            const auto border = [&](std::size_t rank) {
              return cut == 0 ? n * rank / p : cut == 1 ? n * rank * rank / (p * p) : rank == p ? n : 0;
            };
            const auto own = used.subspan(border(r), border(r + 1) - border(r));
            const float sum = tutti::reproducible_reduce(comm, own, tutti::sum{});
            expect(std::memcmp(&sum, &expected, sizeof sum) == 0, "reproducible sum", comm.rank());
            const float mean = tutti::reproducible_reduce(comm, own, tutti::avg{});
            expect(mean == expected / float(n), "reproducible avg", comm.rank());
            const auto last = [](float, float right) { return right; };  // does not commute
            expect(tutti::reproducible_reduce(comm, own, last) == used[n - 1], "reproducible last", comm.rank());
          },
          9);
  }
  if (!has_room_for<Transport>(3)) return;
  try {
    Transport::launch(3, [](typename Transport::communicator& comm) {
      tutti::reproducible_reduce(comm, std::span<const float>(), tutti::sum{});
    });
    FAIL_CHECK("nothing was reduced to something");
  } catch (const tutti::error& failure) {
    CHECK(std::string(failure.what()).find("all 3 ranks together have 0 elements") != std::string::npos);
  }
}

template <class Transport>
void buckets() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        using communicator = typename Transport::communicator;
        tutti::bucketer<float, communicator, tutti::avg> bucket(comm, 4096);
        std::vector<std::vector<float>> tensors;
        for (const std::size_t n : {0, 1, 500, 523, 1, 1024, 1025, 5000, 3}) tensors.emplace_back(n);
        const int p = comm.size();
        for (int round = 0; round < 5; ++round) {
          for (auto& tensor : tensors) {
            for (float& value : tensor) value = float(comm.rank() + round);
            bucket.add(tensor);
          }
          // 1 + 500 + 523 fill one; 1 alone before a full tensor; three that fill a bucket themselves; 3.
          expect(bucket.buckets() == 6, "number of buckets", comm.rank());
          bucket.finish();
          expect(bucket.buckets() == 0, "no bucket left", comm.rank());
          for (const auto& tensor : tensors)
            for (const float value : tensor)
              expect(value == float(p - 1) / 2 + float(round), "bucketed avg", comm.rank());
        }
        // Dropped before finish: the calls end, nothing hangs.
        std::vector<int> values(100, 1);
        tutti::bucketer<int, communicator, tutti::sum, tutti::ring> dropped(comm, 64, {}, {});
        dropped.add(values);
      },
      9);
}

template <class Transport>
void progress_threads() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int r = comm.rank(), p = comm.size();
        for (int turn = 0; turn < 3; ++turn) {
          if (turn == 2 && r % 2 == 1) break;  // see below: some ranks have one, others don't
          tutti::progress_thread helper(comm);
          for (int i = 0; i < (reduced ? 6 : 30) && turn < 2; ++i) {
            std::vector<int> one(std::size_t(20000 + i), r), two(100, r), in(70000, -1), out(70000, r);
            auto a = tutti::async::all_reduce(comm, one, tutti::sum{});
            auto b = tutti::async::all_reduce(comm, two, tutti::max{}, tutti::tree{});
            auto s = tutti::async::send(comm, (r + 1) % p, out, 4);
            auto q = tutti::async::recv(comm, (r + p - 1) % p, in, 4);
            if (i % 3 == 0) tutti::barrier(comm);
            if (i % 2 == 1) usleep(200);
            while (!a.test()) sched_yield();
            for (const int value : one) expect(value == p * (p - 1) / 2, "helped all_reduce", r);
            b.wait();
            expect(two[7] == p - 1, "helped second all_reduce", r);
            s.wait();
            q.wait();
            expect(in[69999] == (r + p - 1) % p, "helped recv", r);
            tutti::all_reduce(comm, one, tutti::min{});
          }
        }
        std::vector<int> after(1000, r);
        if (r % 2 == 0) {
          tutti::progress_thread helper(comm);
          tutti::all_reduce(comm, after, tutti::sum{});
        } else {
          tutti::all_reduce(comm, after, tutti::sum{});
        }
        expect(after[999] == p * (p - 1) / 2, "all_reduce where only some have a helper", r);
      },
      5);
  // It moves a request that nobody tests: rank 0 sleeps through the whole call, and rank 1 doesn't wait for it to wake.
  in_world<Transport>(2, [](typename Transport::communicator& comm) {
    tutti::progress_thread helper(comm);
    std::vector<int> data(300000, comm.rank());
    auto under_way = tutti::async::all_reduce(comm, data, tutti::sum{});
    const std::int64_t begin = tutti::detail::now_ns();
    if (comm.rank() == 0) usleep(2000000);
    under_way.wait();
    expect(data[299999] == 1, "the sum", comm.rank());
    if (comm.rank() == 1)
      expect(tutti::detail::now_ns() - begin < 1500000000, "the helper works while its rank sleeps", 1);
  });
}

}  // namespace conformance
