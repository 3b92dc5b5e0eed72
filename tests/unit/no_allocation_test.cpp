// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that repeat allocate in their first round only. Every operator new of this program is replaced by one that
// counts while its thread asks for that; for all others it is malloc. Not inlined: gcc takes malloc and delete, which
// meet where only one of a pair is, for a mistake.
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

thread_local bool counting = false;
thread_local std::size_t allocations = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counting) ++allocations;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, whole == 0 ? alignment : whole)
                                                       : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return allocate(bytes, 1); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, std::size_t(alignment));
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, std::size_t(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using tutti::threads::communicator;

/// The first call of a shape may allocate, no other one.
template <class Call>
void expect_none(communicator& comm, const char* what, Call&& call) {
  call();
  allocations = 0;
  counting = true;
  for (int turn = 0; turn < 4; ++turn) call();
  counting = false;
  if (allocations != 0)
    throw std::runtime_error(std::string(what) + " on rank " + std::to_string(comm.rank()) + " of " +
                             std::to_string(comm.size()) + " allocates: " + std::to_string(allocations));
}

template <class Test>
void in_worlds(Test&& test) {
  for (const int size : {1, 2, 3, 5}) {
    try {
      tutti::threads::launch(size, test);
      CHECK(size > 0);
    } catch (const std::exception& failure) {
      FAIL_CHECK(std::string(failure.what()));
    }
  }
}

}  // namespace

TEST_CASE("the counter counts") {
  allocations = 0;
  counting = true;
  std::vector<int> some(100);
  counting = false;
  CHECK(some.size() == 100);
  CHECK(allocations == 1);
}

TEST_CASE("all_reduce allocates nothing after its first call, whatever the algorithm") {
  in_worlds([](communicator& comm) {
    for (const std::size_t count : {std::size_t(1), std::size_t(1000), std::size_t(200001)}) {
      std::vector<float> data(count, 1), out(count);
      tutti::every_algorithm::for_each([&]<class Algorithm>(Algorithm how) {
        if constexpr (tutti::algorithm_choice<Algorithm>)
          expect_none(comm, how.name, [&] { tutti::all_reduce(comm, data, out, tutti::avg{}, how); });
        else if constexpr (tutti::supports<communicator, Algorithm, tutti::collective::all_reduce, float, tutti::avg>)
          expect_none(comm, how.name,
                      [&] { tutti::all_reduce(comm, data, out, tutti::avg{}, how, tutti::chunked<4096>{}); });
      });
    }
  });
}

TEST_CASE("movements and the forms with counts allocate nothing after their first call") {
  in_worlds([](communicator& comm) {
    const auto p = std::size_t(comm.size());
    const int root = comm.size() - 1;
    std::vector<int> whole(10007), own(tutti::shard(whole.size(), comm.size(), comm.rank()).count);
    expect_none(comm, "gather", [&] { tutti::gather(comm, own, whole, root); });
    expect_none(comm, "gather by tree", [&] { tutti::gather(comm, own, whole, root, tutti::tree{}); });
    expect_none(comm, "scatter", [&] { tutti::scatter(comm, whole, own, root, tutti::aggregator{}); });
    std::vector<std::size_t> sent(p), received(p);
    std::size_t gives = 0, gets = 0;
    for (std::size_t peer = 0; peer < p; ++peer) {
      gives += sent[peer] = 100 * ((std::size_t(comm.rank()) + 2 * peer) % 3);
      gets += received[peer] = 100 * ((peer + 2 * std::size_t(comm.rank())) % 3);
    }
    std::vector<int> in(gives), out(gets);
    expect_none(comm, "all_to_all_v", [&] { tutti::all_to_all_v(comm, in, sent, out, received); });
    expect_none(comm, "all_to_all_v by pairwise",
                [&] { tutti::all_to_all_v(comm, in, sent, out, received, tutti::pairwise{}); });
    std::vector<int> joined(p * (p - 1) / 2 * 10), uneven(std::size_t(comm.rank()) * 10);
    expect_none(comm, "all_gather_v", [&] { tutti::all_gather_v(comm, uneven, joined, tutti::ring{}); });
    std::vector<int> prefix(777);
    expect_none(comm, "scan", [&] { tutti::scan(comm, prefix, tutti::sum{}); });
    expect_none(comm, "scan by recursive_doubling",
                [&] { tutti::scan(comm, prefix, tutti::sum{}, tutti::recursive_doubling{}); });
  });
}

TEST_CASE("requests, messages and plans allocate nothing after their first round") {
  in_worlds([](communicator& comm) {
    const int p = comm.size(), next = (comm.rank() + 1) % p, before = (comm.rank() + p - 1) % p;
    std::vector<double> data(5000, 1), other(5000, 1), in(5000);
    expect_none(comm, "async::all_reduce", [&] { tutti::async::all_reduce(comm, data, tutti::max{}).wait(); });
    expect_none(comm, "two requests at once", [&] {
      auto one = tutti::async::all_reduce(comm, data, tutti::max{}, tutti::ring{});
      auto two = tutti::async::all_reduce(comm, other, tutti::min{});
      two.wait();
      one.wait();
    });
    expect_none(comm, "send_recv", [&] { tutti::send_recv(comm, next, data, before, in); });
    auto step = tutti::plan(comm, [&](auto& record) {
      tutti::all_reduce(record, data, tutti::max{});
      tutti::broadcast(record, other, 0, tutti::tree{});
      tutti::barrier(record);
    });
    expect_none(comm, "plan.run", [&] { step.run(); });
    expect_none(comm, "plan.start and wait", [&] {
      step.start();
      step.wait();
    });
  });
}
