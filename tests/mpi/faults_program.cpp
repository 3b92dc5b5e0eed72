// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong over MPI, one way a run: each rank prints the error that it gets. See faults.sh.
#include <tutti/mpi.hpp>
#include <tutti/progress_thread.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

constexpr int odd_one_out = 2;

void go_wrong(tutti::mpi::communicator& world, const std::string& way) {
  const bool odd = world.rank() == odd_one_out;
  std::vector<float> data(1000, 1.f);
  if (way == "single") {
    tutti::progress_thread moves(world);
  } else if (way == "count") {
    data.resize(odd ? 1001 : 1000);
    tutti::all_reduce(world, data, tutti::sum{}, tutti::ring{});
  } else if (way == "op") {
    odd ? tutti::all_reduce(world, data, tutti::max{}) : tutti::all_reduce(world, data, tutti::sum{});
  } else if (way == "root") {
    tutti::broadcast(world, data, odd ? 1 : 0);
    tutti::barrier(world);  // whose root went ahead waits here
  } else if (way == "collective") {
    if (odd)
      tutti::barrier(world);
    else
      tutti::all_reduce(world, data, tutti::sum{});
  } else if (way == "silent" || way == "late") {
    if (odd) sleep(way == "late" ? 3 : 6);
    if (way == "late")
      tutti::monitored_barrier(world, 1);
    else
      tutti::all_reduce(world, data, tutti::sum{}, tutti::ring{});
  } else if (way == "throws") {
    tutti::all_reduce(world, data, [odd](float a, float b) {
      if (odd) throw std::runtime_error("the operator gave up");
      return a + b;
    });
    tutti::barrier(world);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  try {
    if (way == "early") tutti::mpi::world();
    {
      tutti::mpi::environment mpi(way == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_SERIALIZED);
      if (way != "after") {
        auto world = tutti::mpi::world();
        world.timeout(4);
        try {
          go_wrong(world, way);
        } catch (const std::exception& failure) {
          std::printf("[%d] %s\n", world.rank(), failure.what());
          std::fflush(stdout);
        }
      }
    }
    if (way == "after") tutti::mpi::world();
  } catch (const tutti::error& failure) {
    std::printf("%s\n", failure.what());
  }
}
