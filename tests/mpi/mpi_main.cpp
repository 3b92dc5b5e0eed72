// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main program of the tests under an MPI launcher: every rank runs every test, in the same order. TUTTI_TEST_RANKS
// says how many ranks there must be; started by another MPI's launcher there would be as many worlds of one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "conformance/witness.hpp"
#include "count_tests.hpp"

#include <tutti/mpi.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>

namespace {

std::map<void*, MPI_Win> windows;

void* take_page() {
  MPI_Win window;
  int rank = 0, unit = 0;
  void* own = nullptr;
  void* first = nullptr;
  MPI_Aint bytes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate_shared(rank == 0 ? 4096 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&own), &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, static_cast<void*>(&first));
  if (rank == 0) std::memset(first, 0, 4096);
  MPI_Barrier(MPI_COMM_WORLD);
  windows[first] = window;
  return first;
}
void give_page_back(void* page) {
  MPI_Win_free(&windows[page]);
  windows.erase(page);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::mpi::environment mpi(MPI_THREAD_MULTIPLE);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* wanted = std::getenv("TUTTI_TEST_RANKS");
  if (wanted == nullptr || std::atoi(wanted) != size) {
    std::fprintf(stderr, "%d ranks, expected TUTTI_TEST_RANKS=%s\n", size, wanted == nullptr ? "(not set)" : wanted);
    return 1;
  }
  conformance::pages = {take_page, give_page_back};
  doctest::Context context(argc, argv);
  if (rank != 0) context.setOption("minimal", true);  // all have the same to say
  int result = context.run();
  if (!context.shouldExit() && tests_run == 0) {
    if (rank == 0) std::fputs("no test matches the filter\n", stderr);
    result = 1;
  }
  int worst = result;
  MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}
