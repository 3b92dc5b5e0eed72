// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of a long all_reduce hides behind computation that takes as long: a request, then the computation, then
// wait. A progress thread moves the request meanwhile, on a core of its own: rank r computes on core 2r, its thread
// works on core 2r + 1, where there are so many. Prints milliseconds, medians of the slowest rank, and the share that
// is hidden:
//   (all_reduce + computation - both) / all_reduce
//   overlap [ranks] [MiB] [iterations]
#include <tutti/async.hpp>
#include <tutti/progress_thread.hpp>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sched.h>

namespace {

using communicator = tutti::shm::communicator;

void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// Work that needs no memory.
double compute(std::uint64_t rounds) {
  double x = 0.5;
  for (std::uint64_t i = 0; i < rounds; ++i) x = x * 0.999999 + 1e-6;
  return x;
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
  const int cores = tutti::detail::usable_cpus();
  const bool spare = cores >= 2 * comm.size();
  if (spare) stay_on(2 * comm.rank() + 1);
  const tutti::progress_thread helper(comm);  // inherits the core
  if (spare) stay_on(2 * comm.rank());

  std::vector<float> in(bytes / sizeof(float), 1.0f), out(in.size());
  double kept = 0;
  const double alone =
      median_ms(comm, iterations, [&] { tutti::async::all_reduce(comm, in, out, tutti::sum{}).wait(); });
  const std::uint64_t sample = 50'000'000;
  const double of_sample = median_ms(comm, 3, [&] { kept += compute(sample); });
  const auto rounds = std::uint64_t(double(sample) * alone / of_sample);
  const double computation = median_ms(comm, iterations, [&] { kept += compute(rounds); });
  const double both = median_ms(comm, iterations, [&] {
    auto request = tutti::async::all_reduce(comm, in, out, tutti::sum{});
    kept += compute(rounds);
    request.wait();
  });
  const bool right = std::all_of(out.begin(), out.end(), [&](float x) { return x == float(comm.size()); });
  const int wrong[] = {right ? 0 : 1};
  int total[1];
  tutti::all_reduce(comm, wrong, total, tutti::sum{});
  if (comm.rank() == 0)
    std::printf(
        "%d ranks, %zu MiB, %d cores, %s: all_reduce %.2f ms, computation %.2f ms, both %.2f ms, hidden %.0f %%%s\n",
        comm.size(), bytes >> 20, cores, spare ? "one for each progress thread" : "none to spare", alone, computation,
        both, 100 * (alone + computation - both) / alone,
        total[0] != 0  ? ", and WRONG"
        : kept == 0.25 ? "."
                       : "");
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, int otherwise) { return argc > at ? std::max(1, std::atoi(argv[at])) : otherwise; };
  tutti::shm::launch(number(1, 2),
                     [&](communicator& comm) { measure(comm, std::size_t(number(2, 64)) << 20, number(3, 9)); });
}
