// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of a long all_reduce hides behind computation that takes as long: a request, then the computation, then
// wait. A progress thread moves the request meanwhile, on a core of its own: rank r computes on core 2r, its thread
// works on core 2r + 1, where there are so many. Prints milliseconds, medians of the slowest rank, and the share that
// is hidden:
//   (all_reduce + computation - both) / all_reduce
//   overlap [ranks] [MiB] [iterations]
#include "machine.hpp"

#include <tutti/async.hpp>
#include <tutti/progress_thread.hpp>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using communicator = tutti::shm::communicator;

std::atomic<double> computed;

/// Work that needs no memory.
void compute(std::uint64_t rounds) {
  double x = 0.5;
  for (std::uint64_t i = 0; i < rounds; ++i) x = x * 0.999999 + 1e-6;
  computed.store(x, std::memory_order_relaxed);  // or it would not be done
}

template <class Work>
double median_ms(communicator& comm, int iterations, Work&& work) {
  std::vector<double> times;
  for (int turn = -1; turn < iterations; ++turn) {
    tutti::barrier(comm);
    const auto start = tutti::detail::now_ns();
    work();
    if (turn >= 0) times.push_back(double(tutti::detail::now_ns() - start) * 1e-6);
  }
  tutti::all_reduce(comm, times, tutti::max{});
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void measure(communicator& comm, std::size_t bytes, int iterations) {
  const std::vector<int> cores = perf::usable_cpu_numbers();
  const bool spare = cores.size() >= 2 * std::size_t(comm.size());
  if (spare) perf::pin_this_thread(cores, 2 * comm.rank() + 1);
  const tutti::progress_thread helper(comm);  // inherits the core
  if (spare) perf::pin_this_thread(cores, 2 * comm.rank());

  std::vector<float> in(bytes / sizeof(float), 1.0f), out(in.size());
  const double alone =
      median_ms(comm, iterations, [&] { tutti::async::all_reduce(comm, in, out, tutti::sum{}).wait(); });
  const std::uint64_t sample = 50'000'000;
  const double of_sample = median_ms(comm, 3, [&] { compute(sample); });
  const auto rounds = std::uint64_t(double(sample) * alone / of_sample);
  const double computation = median_ms(comm, iterations, [&] { compute(rounds); });
  const double both = median_ms(comm, iterations, [&] {
    auto request = tutti::async::all_reduce(comm, in, out, tutti::sum{});
    compute(rounds);
    request.wait();
  });
  for (const float x : out)
    if (x != float(comm.size()))
      throw std::runtime_error("overlap: a wrong element on rank " + std::to_string(comm.rank()));
  if (comm.rank() == 0)
    std::printf(
        "%d ranks, %zu MiB, %zu cores, %s: all_reduce %.2f ms, computation %.2f ms, both %.2f ms, hidden %.0f %%\n",
        comm.size(), bytes >> 20, cores.size(), spare ? "one for each progress thread" : "none to spare", alone,
        computation, both, 100 * (alone + computation - both) / alone);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, int otherwise) { return argc > at ? std::max(1, std::atoi(argv[at])) : otherwise; };
  tutti::shm::launch(number(1, 2),
                     [&](communicator& comm) { measure(comm, std::size_t(number(2, 64)) << 20, number(3, 9)); });
}
