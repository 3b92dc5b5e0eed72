// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After the first call of a shape nothing is allocated any more: by no algorithm, request or plan.
#include <tutti/algorithm/hierarchical.hpp>
#include <tutti/bucketer.hpp>
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#if !defined(TUTTI_REDUCED)
#  define TUTTI_REDUCED 0
#endif

namespace {

thread_local bool counting = false;
thread_local int allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  if (counting) ++allocations;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes == 0 ? 1 : bytes)
                     : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
#  pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // it sees malloc behind the one and free behind the other
#endif

// For the whole binary; counted only where a rank says so.
void* operator new(std::size_t bytes) { return counted(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return counted(bytes, std::size_t(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

/// The second and third call must not allocate.
template <class Call>
void expect_none(const char* what, Call&& call) {
  call();
  allocations = 0;
  counting = true;
  call();
  call();
  counting = false;
  if (allocations != 0) throw std::runtime_error(std::string(what) + " allocates: " + std::to_string(allocations));
}

void calls(tutti::threads::communicator& comm) {
  namespace on = tutti::collective;
  using communicator = tutti::threads::communicator;
  const auto p = std::size_t(comm.size());
  const std::size_t n = 5000 * p;
  std::vector<float> in(n, 1), out(n), part(n / p);
  std::vector<short> shorts(n, 1);
#if TUTTI_REDUCED
  using tried = tutti::one_of<tutti::ring, tutti::direct>;
#else
  using tried = tutti::every_algorithm;
#endif
  tried::for_each([&](auto algorithm) {
    using type = decltype(algorithm);
    if constexpr (tutti::algorithm<type>) {
      if constexpr (tutti::supports<communicator, type, on::all_reduce, float, tutti::sum>) {
        expect_none(type::name, [&] { tutti::all_reduce(comm, in, out, tutti::sum{}, algorithm); });
        expect_none(type::name,
                    [&] { tutti::all_reduce(comm, shorts, tutti::avg{}, algorithm, tutti::chunked<1024>{}); });
      }
      if constexpr (tutti::supports<communicator, type, on::gather, float>)
        expect_none(type::name, [&] { tutti::gather(comm, part, out, 0, algorithm); });
      if constexpr (tutti::supports<communicator, type, on::all_to_all, float>)
        expect_none(type::name, [&] { tutti::all_to_all(comm, in, out, algorithm); });
      if constexpr (tutti::supports<communicator, type, on::scan, float, tutti::sum>)
        expect_none(type::name, [&] { tutti::scan(comm, in, out, tutti::sum{}, algorithm); });
    }
  });
  const std::vector<std::size_t> counts(p, n / p);
  expect_none("all_to_all_v", [&] { tutti::all_to_all_v(comm, in, counts, out, counts); });
  expect_none("all_gather_v", [&] { tutti::all_gather_v(comm, part, out); });
  expect_none("reduce_scatter_v", [&] { tutti::reduce_scatter_v(comm, in, part, tutti::sum{}); });
  expect_none("scatter_v", [&] { tutti::scatter_v(comm, in, part, 1 % comm.size()); });
  expect_none("hierarchical", [&] {
    tutti::all_reduce(comm, shorts, tutti::avg{}, tutti::hierarchical<tutti::direct, tutti::tree>{});
  });
  expect_none("a request", [&] { tutti::async::all_reduce(comm, in, out, tutti::sum{}).wait(); });
  expect_none("a request by messages",
              [&] { tutti::async::all_reduce(comm, in, out, tutti::sum{}, tutti::tree{}).wait(); });
  const int next = (comm.rank() + 1) % comm.size(), previous = (comm.rank() + comm.size() - 1) % comm.size();
  expect_none("send and recv as requests", [&] {
    auto take = tutti::async::recv(comm, previous, part);
    auto give = tutti::async::send(comm, next, std::as_const(part));
    give.wait();
    take.wait();
  });
  auto plan = tutti::plan(comm, [&](auto& record) {
    tutti::all_reduce(record, in, out, tutti::max{});
    tutti::reduce_scatter(record, in, part, tutti::sum{}, tutti::ring{});
  });
  expect_none("a plan", [&] { plan.run(); });
  tutti::bucketer<float, communicator, tutti::avg> bucket(comm, 4096);
  expect_none("a bucketer", [&] {
    for (std::size_t first = 0; first + 700 <= n; first += 700) {
      tutti::detail::view_range<float> tensor{in.data() + first, 700};
      bucket.add(tensor);
    }
    bucket.finish();
  });
}

}  // namespace

TEST_CASE("nothing is allocated after the first call of a shape") {
  for (const int size : {1, 2, 3, 4}) {
    std::string failure;
    try {
      tutti::threads::launch(size, calls);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    CHECK(failure == "");
  }
}
