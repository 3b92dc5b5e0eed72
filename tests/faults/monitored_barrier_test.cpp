// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier that says who is missing.
#include "faults.hpp"

using namespace faults;

TEST_CASE("a monitored barrier with everybody there is a barrier") {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 4, [&](tutti::shm::communicator& comm) {
    for (int turn = 0; turn < 100; ++turn) tutti::monitored_barrier(comm, 20);
    int one[1] = {1};
    tutti::all_reduce(comm, one, tutti::sum{});
    notes[comm.rank()].progress = one[0];
  });
  CAPTURE(result.text);
  CHECK_FALSE(result.threw);
  for (int rank = 0; rank < 4; ++rank) CHECK(notes[rank].progress == 4);
}

TEST_CASE("a monitored barrier names who is missing") {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 4, [&](tutti::shm::communicator& comm) {
    if (comm.rank() == 1 || comm.rank() == 3) usleep(900000);
    note& mine = notes[comm.rank()];
    const std::int64_t begin = tutti::detail::now_ns();
    try {
      tutti::monitored_barrier(comm, 0.3);
    } catch (const tutti::error& failure) {
      mine.code = failure.code();
      std::snprintf(mine.text, sizeof mine.text, "%s", failure.what());
    }
    mine.progress = int((tutti::detail::now_ns() - begin) / 1000000);
  });
  for (const int rank : {0, 2}) {
    CAPTURE(notes[rank].text);
    CHECK((notes[rank].code == tutti::errc::timeout || notes[rank].code == tutti::errc::peer_failed));
    CHECK(contains(notes[rank].text, "not there within 0.3 s: rank 1, 3"));
    CHECK(notes[rank].progress < 1200);
  }
  // Who comes late hears of it instead of waiting for the others.
  for (const int rank : {1, 3}) {
    CAPTURE(notes[rank].text);
    CHECK(contains(notes[rank].text, "not there within 0.3 s: rank 1, 3"));
    CHECK(notes[rank].progress < 1000);
  }
}
