// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system refuses memory: a clear error where it happens, peer_failed elsewhere, never SIGBUS, never a hang. This
// file defines fallocate for the whole test program.
#include "faults.hpp"

#include <sys/syscall.h>

using namespace faults;

namespace {

/// How many calls of fallocate in this process may still succeed; below 0: all.
int calls_left = -1;

int allocate_or_refuse(int file, int mode, off_t offset, off_t length) {
  if (mode == 0 && calls_left == 0) {
    errno = ENOSPC;
    return -1;
  }
  if (mode == 0 && calls_left > 0) --calls_left;
  return int(syscall(SYS_fallocate, file, mode, offset, length));
}

constexpr const char* reason = "No space left on device";

/// Rank 1 of three gets no memory in `call`.
template <class Call>
void expect_refusal_on_rank_1(const char* collective, Call call) {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 3, [&](tutti::shm::communicator& comm) {
    tutti::barrier(comm);
    if (comm.rank() == 1) calls_left = 0;
    call(comm);
    for (int i = 0; i < 8; ++i) tutti::barrier(comm);
  });
  const std::string text = std::string(collective) + " on rank 1: no shared memory for ";
  CAPTURE(result.text);
  REQUIRE(result.threw);
  CHECK(result.code == tutti::errc::resource);
  CHECK(result.rank == 1);
  CHECK(result.says("rank 1 failed: " + text));
  CHECK(result.says(" bytes: "));
  CHECK(result.says(reason));
  CHECK(result.seconds < 2);
  for (int rank = 0; rank < 3; ++rank) {
    CAPTURE(rank);
    const note& one = notes[rank];
    CAPTURE(one.text);
    CHECK(one.threw == 1);
    CHECK(one.code == (rank == 1 ? tutti::errc::resource : tutti::errc::peer_failed));
    CHECK(one.about == 1);
    CHECK(contains(one.text, text));
    CHECK(contains(one.text, reason));
  }
}

}  // namespace

extern "C" int fallocate(int file, int mode, off_t offset, off_t length) {
  return allocate_or_refuse(file, mode, offset, length);
}
extern "C" int fallocate64(int file, int mode, off64_t offset, off64_t length) {
  return allocate_or_refuse(file, mode, offset, length);
}

TEST_CASE("no memory for the world") {
  board notes;
  calls_left = 0;
  const outcome result = run<on_shm>(notes, 4, [](tutti::shm::communicator& comm) { tutti::barrier(comm); });
  calls_left = -1;
  CAPTURE(result.text);
  CHECK(result.threw);
  CHECK(result.code == tutti::errc::resource);
  CHECK(result.says("control bytes of a world of 4 ranks"));
  CHECK(result.says(reason));
  CHECK_FALSE(run<on_shm>(notes, 4, [](tutti::shm::communicator& comm) { tutti::barrier(comm); }).threw);
}

TEST_CASE("no memory for the first message") {
  expect_refusal_on_rank_1("all_reduce", [](auto& comm) {
    std::vector<float> data(100, 1.0f);
    tutti::all_reduce<tutti::ring>(comm, data, tutti::sum{});
  });
}
TEST_CASE("no memory for a longer message than before") {
  expect_refusal_on_rank_1("all_reduce", [](auto& comm) {
    if (comm.rank() == 1) calls_left = 2;
    std::vector<float> data(100, 1.0f);
    tutti::all_reduce<tutti::tree>(comm, data, tutti::sum{});
    data.resize(100000);
    for (int i = 0; i < 8; ++i) tutti::all_reduce<tutti::ring>(comm, data, tutti::sum{});
  });
}
TEST_CASE("no memory to stage") {
  expect_refusal_on_rank_1("all_reduce", [](auto& comm) {
    std::vector<float> data(100, 1.0f);
    tutti::all_reduce<tutti::direct>(comm, data, tutti::sum{});
  });
}
TEST_CASE("no memory to stage results") {
  expect_refusal_on_rank_1("all_reduce", [](auto& comm) {
    if (comm.rank() == 1) calls_left = 1;
    std::vector<float> data(100, 1.0f);
    tutti::all_reduce<tutti::direct>(comm, data, tutti::sum{});
  });
}
TEST_CASE("no memory at the root of a broadcast") {
  expect_refusal_on_rank_1("broadcast", [](auto& comm) {
    std::vector<char> data(100000, 'x');
    tutti::broadcast(comm, data, 1);
  });
}

TEST_CASE("no memory for allocate: all ranks hear the same, and go on") {
  watchdog dog;
  for (const int poor : {0, 1, 3}) {
    CAPTURE(poor);
    board notes;
    const outcome result = run<on_shm>(notes, 4, [&](tutti::shm::communicator& comm) {
      std::vector<int> warm(10, 1);
      tutti::all_reduce(comm, warm, tutti::sum{});  // its memory is there
      calls_left = comm.rank() == poor ? 0 : -1;
      note& mine = notes[comm.rank()];
      try {
        comm.allocate<double>(1000);
      } catch (const tutti::error& failure) {
        mine.code = failure.code();
        mine.about = failure.rank();
        std::snprintf(mine.text, sizeof mine.text, "%s", failure.what());
      }
      calls_left = -1;
      auto numbers = comm.allocate<double>(1000);
      for (double& number : numbers) number = comm.rank() + 1;
      tutti::all_reduce(comm, numbers, tutti::sum{});
      mine.progress = int(numbers[999]);
    });
    CAPTURE(result.text);
    CHECK_FALSE(result.threw);
    for (int rank = 0; rank < 4; ++rank) {
      const note& one = notes[rank];
      CAPTURE(one.text);
      CHECK(one.code == tutti::errc::resource);
      CHECK(one.about == poor);
      CHECK(contains(one.text, "allocate on rank " + std::to_string(rank) + ": rank " + std::to_string(poor) +
                                   " got no memory for 8000 bytes: "));
      CHECK(contains(one.text, reason));
      CHECK(one.progress == 1 + 2 + 3 + 4);
    }
  }
}

TEST_CASE("no memory for any rank's allocate") {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 3, [&](tutti::shm::communicator& comm) {
    calls_left = 0;
    try {
      comm.allocate<char>(1);
    } catch (const tutti::error& failure) {
      notes[comm.rank()].progress = failure.code() == tutti::errc::resource;
    }
    tutti::barrier(comm);
  });
  CAPTURE(result.text);
  CHECK_FALSE(result.threw);
  for (int rank = 0; rank < 3; ++rank) CHECK(notes[rank].progress == 1);
}
