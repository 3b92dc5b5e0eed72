// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong over MPI, one way a run: each rank prints the error that it gets. With hosts (aabb: ranks 0 and 1 on
// one, 2 and 3 on another) over hybrid instead. See faults.sh.
#include <tutti/hybrid.hpp>
#include <tutti/progress_thread.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

constexpr int odd_one_out = 2;

template <class Communicator>
void go_wrong(Communicator& world, const std::string& way) {
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

template <class Communicator>
void run(const std::string& way) {
  Communicator world(MPI_COMM_WORLD);
  world.timeout(4);
  try {
    go_wrong(world, way);
  } catch (const std::exception& failure) {
    std::printf("[%d] %s\n", world.rank(), failure.what());
    std::fflush(stdout);
  }
}

void run_on(const std::string& hosts, const std::string& way) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  setenv("TUTTI_HOST", hosts.substr(std::size_t(rank), 1).c_str(), 1);
  run<tutti::hybrid::communicator>(way);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  try {
    if (way == "early") tutti::mpi::world();
    {
      tutti::mpi::environment mpi(way == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_SERIALIZED);
      if (way != "after") {
        if (argc > 2)
          run_on(argv[2], way);
        else
          run<tutti::mpi::communicator>(way);
      }
    }
    if (way == "after") tutti::mpi::world();
  } catch (const tutti::error& failure) {
    std::printf("%s\n", failure.what());
  }
}
