// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks don't outlive the process that launched them.
#include "faults.hpp"

#include <csignal>

#include <sys/prctl.h>

using namespace faults;

namespace {
double seconds_since(std::int64_t begin) { return double(tutti::detail::now_ns() - begin) * 1e-9; }
}  // namespace

TEST_CASE("the parent of launch is killed: its ranks vanish") {
  watchdog dog;
  constexpr int size = 4;
  board notes;
  const auto files = shared_files();
  // Orphans come to us, so that we can see them end.
  REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  const pid_t parent = fork();
  REQUIRE(parent >= 0);
  if (parent == 0) {
    tutti::shm::launch(size, [&](tutti::shm::communicator& comm) {
      notes[comm.rank()].progress = int(getpid());
      tutti::barrier(comm);
      notes[comm.rank()].finished = 1;
      if (comm.rank() == 0) pause();  // outside of any collective
      std::vector<int> data(1000, 1);
      for (;;) tutti::all_reduce<tutti::ring>(comm, data, tutti::max{});  // rank 0 never comes: they sleep inside
    });
    _exit(0);
  }
  const auto all_run = [&] {
    for (int rank = 0; rank < size; ++rank)
      if (reinterpret_cast<volatile int&>(notes[rank].finished) == 0) return false;
    return true;
  };
  while (!all_run()) poll(nullptr, 0, 5);
  poll(nullptr, 0, 50);

  const std::int64_t killed_at = tutti::detail::now_ns();
  REQUIRE(kill(parent, SIGKILL) == 0);
  int status = 0;
  REQUIRE(waitpid(parent, &status, 0) == parent);
  for (int rank = 0; rank < size; ++rank) {
    CAPTURE(rank);
    const auto orphan = pid_t(notes[rank].progress);
    pid_t ended = 0;
    while ((ended = waitpid(orphan, &status, WNOHANG)) == 0 && seconds_since(killed_at) < 2) poll(nullptr, 0, 5);
    CHECK(ended == orphan);
    if (ended == 0) {  // it would outlive this test as well
      kill(orphan, SIGKILL);
      waitpid(orphan, &status, 0);
    }
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);
  }
  CHECK(seconds_since(killed_at) < 2);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  CHECK_FALSE(has_children());
  CHECK(shared_files() == files);
}
