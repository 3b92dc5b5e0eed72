// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank that neither dies nor comes: only the deadline can tell, and it names who is missing.
#include "faults.hpp"

#include <csignal>

using namespace faults;

namespace {

constexpr double patience = 0.5;

/// The first to lose patience says timeout; the others either do as well or learn it from that one.
void expect_timeout(const board& notes, const outcome& result, int size, int missing) {
  const std::string not_there = "not there: " + std::to_string(missing);
  CAPTURE(result.text);
  REQUIRE(result.threw);
  CHECK(result.code == tutti::errc::timeout);
  CHECK(result.says("no progress for 0.5 s in operation "));
  CHECK(result.says(not_there));
  CHECK(result.seconds >= patience);
  CHECK(result.seconds < patience + 1 + 1.5);  // and the second in which launch waits before it kills
  for (int rank = 0; rank < size; ++rank) {
    if (rank == missing) continue;
    CAPTURE(rank);
    const note& one = notes[rank];
    CAPTURE(one.text);
    CHECK(one.threw == 1);
    CHECK((one.code == tutti::errc::timeout || one.code == tutti::errc::peer_failed));
    CHECK(contains(one.text, not_there));
  }
}

template <class Algorithm>
void stop_in_the_middle(int size, int victim) {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, size, [&](tutti::shm::communicator& comm) {
    comm.timeout(patience);
    std::vector<float> data(1000, 1.0f);
    for (int i = 0; i < 10; ++i) {
      if (comm.rank() == victim && i == 5) std::raise(SIGSTOP);
      tutti::all_reduce<Algorithm>(comm, data, tutti::max{});
    }
  });
  expect_timeout(notes, result, size, victim);
}

}  // namespace

TEST_CASE("SIGSTOP, by messages, 2 ranks") { stop_in_the_middle<tutti::ring>(2, 1); }
TEST_CASE("SIGSTOP, by messages, 4 ranks") { stop_in_the_middle<tutti::ring>(4, 2); }
TEST_CASE("SIGSTOP, by loads and stores") { stop_in_the_middle<tutti::direct>(4, 0); }
TEST_CASE("SIGSTOP, eight ranks") { stop_in_the_middle<tutti::one_phase>(8, 7); }

TEST_CASE("several ranks are missing: all are named") {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 5, [&](tutti::shm::communicator& comm) {
    comm.timeout(patience);
    if (comm.rank() == 1 || comm.rank() == 3) std::raise(SIGSTOP);
    tutti::barrier(comm);
  });
  CAPTURE(result.text);
  CHECK(result.code == tutti::errc::timeout);
  CHECK(result.says("not there: 1, 3"));
}

TEST_CASE("a rank that stops inside: nobody is missing, and the text says so") {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 2, [&](tutti::shm::communicator& comm) {
    comm.timeout(patience);
    std::vector<int> data(10, 1);
    tutti::all_reduce<tutti::ring>(comm, data, tutti::commutative([&](int a, int b) {
                                     if (comm.rank() == 1) std::raise(SIGSTOP);
                                     return a + b;
                                   }));
  });
  CAPTURE(result.text);
  CHECK(result.code == tutti::errc::timeout);
  CHECK(result.says("all ranks have entered it"));
}

TEST_CASE("a slow rank is no missing rank: progress renews the patience") {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 2, [&](tutti::shm::communicator& comm) {
    comm.timeout(patience);
    std::vector<int> data(20, 1);
    // Ten chunks and a nap in each: the call takes longer than anyone may wait for one chunk.
    int seen = 0;
    tutti::all_reduce<tutti::tree, tutti::chunked<2 * sizeof(int)>>(comm, data, tutti::commutative([&](int a, int b) {
                                                                      if (++seen % 2 == 0) poll(nullptr, 0, 100);
                                                                      return a + b;
                                                                    }));
    notes[comm.rank()].progress = data[19];
  });
  CAPTURE(result.text);
  CHECK_FALSE(result.threw);
  CHECK(result.seconds > 2 * patience - 0.1);
  CHECK(notes[0].progress == 2);
  CHECK(notes[1].progress == 2);
}

TEST_CASE_TEMPLATE("the deadline is the same on threads", Transport, on_threads, on_shm) {
  watchdog dog;
  board notes;
  const outcome result = run<Transport>(notes, 3, [&](auto& comm) {
    comm.timeout(patience);
    if (comm.rank() == 1) poll(nullptr, 0, 1000);  // comes, too late
    tutti::barrier(comm);
  });
  expect_timeout(notes, result, 3, 1);
  CHECK(notes[1].threw == 1);
  CHECK(notes[1].code == tutti::errc::peer_failed);
}
