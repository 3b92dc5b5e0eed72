// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many worlds in one process at once: they must share nothing. The data of gloo's bug behind jax#40830: doubles,
// megabytes, two ranks, a reduce_scatter whose input a send was still reading when it was overwritten.
#include "operators.hpp"
#include "trial.hpp"

#include <stdexcept>
#include <thread>

namespace {

using conformance::threads;

void one_world(int number, std::string& failure) {
  try {
    threads::launch(2, [number](threads::communicator& comm) {
      using tried =
          conformance::trial<tutti::collective::reduce_scatter, conformance::sum_case, threads::communicator, double>;
      const auto table =
          conformance::rows<tutti::collective::reduce_scatter, threads::communicator, double, tutti::sum>(
              conformance::algorithms{}, conformance::list<conformance::by_default>{});
      for (const std::size_t mebibytes : {std::size_t(1), std::size_t(4)}) {
        const std::size_t count = conformance::reduced ? 20000 * mebibytes : (mebibytes << 17);
        const auto given =
            conformance::problem<double>::make(conformance::sum_case{}, 2, comm.rank(), count, std::uint64_t(number));
        tried attempt(comm, given);
        for (int time = 0; time < 2; ++time)
          for (const auto& row : table) attempt.run(row, 0);
      }
    });
  } catch (const std::exception& error) {
    failure = error.what();
  }
}

}  // namespace

TEST_CASE("threads: twelve worlds at once") {
  std::string failures[12];
  std::vector<std::thread> worlds;
  for (int number = 0; number < 12; ++number) worlds.emplace_back(one_world, number, std::ref(failures[number]));
  for (auto& world : worlds) world.join();
  for (const auto& failure : failures) CHECK(failure == "");
}

TEST_CASE("threads: a world in a world") {
  conformance::in_world<threads>(2, [](threads::communicator& outer) {
    int sum = 0;
    threads::launch(3, [&sum](threads::communicator& inner) {
      int ranks[] = {inner.rank()};
      tutti::all_reduce(inner, ranks, tutti::sum{});
      if (inner.rank() == 0) sum = ranks[0];
    });
    tutti::all_reduce(outer, std::span<int>(&sum, 1), tutti::sum{});
    if (sum != 6) throw std::runtime_error("two worlds of three gave " + std::to_string(sum) + ", expected 6");
  });
}
