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

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::size_t page_bytes = 4096;

/// By a file, for MPI shares no memory between what it takes for two hosts.
void* take_page() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[] = "/tmp/tutti-test-XXXXXX";
  int file = -1;
  if (rank == 0) {
    file = mkstemp(name);
    if (ftruncate(file, page_bytes) != 0) std::perror(name);
  }
  MPI_Bcast(name, int(sizeof name), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) file = open(name, O_RDWR | O_CLOEXEC);
  void* page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  if (page != MAP_FAILED) return page;
  std::perror(name);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return nullptr;
}
void give_page_back(void* page) { munmap(page, page_bytes); }

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
