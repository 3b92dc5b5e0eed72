// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system refuses a process: a clear error, and the ranks that had been started are gone. This file defines fork for
// the whole test program.
#include "faults.hpp"

#include <dlfcn.h>

using namespace faults;

namespace {
int forks_left = -1;  // below 0: as many as you like
}

extern "C" pid_t fork() noexcept {
  if (forks_left == 0) {
    errno = EAGAIN;
    return -1;
  }
  if (forks_left > 0) --forks_left;
  static const auto real = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "fork"));
  return real();
}

TEST_CASE("fork fails for any rank") {
  watchdog dog;
  for (const int started : {0, 1, 3}) {
    CAPTURE(started);
    board notes;
    forks_left = started;
    const outcome result = run<on_shm>(notes, 4, [&](tutti::shm::communicator& comm) {
      notes[comm.rank()].progress = 1;
      tutti::barrier(comm);
      notes[comm.rank()].progress = 2;
    });
    forks_left = -1;
    CAPTURE(result.text);
    CHECK(result.threw);
    CHECK(result.code == tutti::errc::resource);
    CHECK(result.rank == started);
    CHECK(result.says("can't fork rank " + std::to_string(started) + " of 4: Resource temporarily unavailable"));
    CHECK(result.seconds < 2);
    for (int rank = 0; rank < 4; ++rank) CHECK(notes[rank].progress < 2);
  }
}

TEST_CASE("fork works again afterwards") {
  watchdog dog;
  board notes;
  CHECK_FALSE(run<on_shm>(notes, 4, [](tutti::shm::communicator& comm) { tutti::barrier(comm); }).threw);
}
