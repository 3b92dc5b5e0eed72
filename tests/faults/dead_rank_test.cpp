// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank of shm::launch that ends in any way, at any time: launch names it and how it ended within two seconds, and all
// others throw peer_failed.
#include "faults.hpp"

#include <csignal>
#include <stdexcept>

using namespace faults;

namespace {

enum class ending { killed, exit_3, exit_0, library_exit, tutti_error, runtime_error, integer };
enum class moment { before, between, inside, after };

constexpr int last_iteration = 20, fatal_iteration = 9;

[[noreturn]] void end(ending how, const board& notes) {
  notes.died_at() = tutti::detail::now_ns();
  switch (how) {
    case ending::killed:
      std::raise(SIGKILL);
      break;
    case ending::exit_3:
      _exit(3);
    case ending::exit_0:
      _exit(0);
    case ending::library_exit:
      std::exit(0);
    case ending::tutti_error:
      throw tutti::error(tutti::errc::resource, 77, "the coffee ran out");
    case ending::runtime_error:
      throw std::runtime_error("the tea ran out");
    case ending::integer:
      throw 42;
  }
  std::abort();
}

std::string last_words(ending how) {
  switch (how) {
    case ending::killed:
      return "was killed by signal 9 (Killed)";
    case ending::exit_3:
      return "exited with status 3";
    case ending::exit_0:
    case ending::library_exit:
      return "exited with status 0 before its function returned";
    case ending::tutti_error:
      return "the coffee ran out";
    case ending::runtime_error:
      return "the tea ran out";
    case ending::integer:
      return "threw something that is no std::exception";
  }
  return "";
}

/// rank `victim` ends; everyone else works on, in vectors of `count` elements.
template <class Algorithm>
void expect_obituary(int size, int victim, ending how, moment when, std::size_t count = 1000) {
  board notes;
  CAPTURE(Algorithm::name);
  CAPTURE(size);
  CAPTURE(int(how));
  CAPTURE(int(when));
  const outcome result = run<on_shm>(notes, size, [&](tutti::shm::communicator& comm) {
    const bool doomed = comm.rank() == victim;
    if (doomed && when == moment::before) end(how, notes);
    std::vector<int> data(count, 1);
    for (int i = 0; i <= last_iteration; ++i) {
      const bool now = doomed && i == fatal_iteration;
      if (now && when == moment::between) end(how, notes);
      tutti::all_reduce<Algorithm>(comm, data, tutti::commutative([&](int a, int b) {
                                     if (now && when == moment::inside) end(how, notes);
                                     return a > b ? a : b;
                                   }));
      notes[comm.rank()].progress = i;
    }
    tutti::barrier(comm);
    if (doomed && when == moment::after) {
      poll(nullptr, 0, 100);  // until the others are through
      end(how, notes);
    }
  });
  CAPTURE(result.text);
  REQUIRE(result.threw);
  CHECK(notes.seconds_since_death() < 2);
  CHECK(result.rank == victim);
  CHECK(result.code == (how == ending::tutti_error ? tutti::errc::resource : tutti::errc::peer_failed));
  CHECK(result.says("rank " + std::to_string(victim) + " failed: "));
  CHECK(result.says(last_words(how)));
  for (int rank = 0; rank < size; ++rank) {
    if (rank == victim) continue;
    CAPTURE(rank);
    const note& one = notes[rank];
    CAPTURE(one.text);
    if (when == moment::after) {
      CHECK(one.finished == 1);
      continue;
    }
    CHECK(one.threw == 1);
    CHECK(one.code == tutti::errc::peer_failed);
    CHECK(one.about == victim);
    CHECK(contains(one.text,
                   "all_reduce on rank " + std::to_string(rank) + ": rank " + std::to_string(victim) + " failed: "));
    CHECK(contains(one.text, last_words(how)));
  }
}

constexpr ending all_endings[] = {ending::killed,      ending::exit_3,        ending::exit_0, ending::library_exit,
                                  ending::tutti_error, ending::runtime_error, ending::integer};

}  // namespace

TEST_CASE("every ending before the first collective") {
  watchdog dog;
  for (const ending how : all_endings) expect_obituary<tutti::direct>(4, 1, how, moment::before);
}
TEST_CASE("every ending between two collectives, by messages") {
  watchdog dog;
  for (const ending how : all_endings) expect_obituary<tutti::ring>(4, 2, how, moment::between);
}
TEST_CASE("every ending between two collectives, by loads and stores") {
  watchdog dog;
  for (const ending how : all_endings) expect_obituary<tutti::one_phase>(4, 3, how, moment::between);
}
TEST_CASE("every ending inside a collective, from the operator") {
  watchdog dog;
  for (const ending how : all_endings) {
    expect_obituary<tutti::ring>(4, 2, how, moment::inside, 300000);
    expect_obituary<tutti::direct>(4, 1, how, moment::inside, 300000);
    expect_obituary<tutti::tree>(4, 0, how, moment::inside, 300000);
  }
}
TEST_CASE("every ending after the last collective") {
  watchdog dog;
  for (const ending how : all_endings) expect_obituary<tutti::tree>(4, 1, how, moment::after);
}
TEST_CASE_TEMPLATE("any number of ranks, any victim", Algorithm, tutti::ring, tutti::tree, tutti::aggregator,
                   tutti::direct, tutti::one_phase) {
  watchdog dog;
  for (const int size : {2, 4, 8})
    for (const int victim : {0, size - 1}) expect_obituary<Algorithm>(size, victim, ending::killed, moment::between);
}
TEST_CASE("all ranks die at once") {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 4, [](tutti::shm::communicator&) { std::raise(SIGKILL); });
  CHECK(result.threw);
  CHECK(result.code == tutti::errc::peer_failed);
  CHECK(result.says("was killed by signal 9"));
}
TEST_CASE("a rank that dies while it reports a failure keeps nobody from reporting") {
  watchdog dog;
  board notes;
  const outcome result = run<on_shm>(notes, 3, [&](tutti::shm::communicator& comm) {
    if (comm.rank() == 1) {
      comm.world().failure().claimed = std::uint64_t(getpid());  // half of record_failure
      end(ending::killed, notes);
    }
    tutti::barrier(comm);
  });
  CHECK(result.threw);
  CHECK(result.rank == 1);
  CHECK(result.says("was killed by signal 9"));
  CHECK(result.seconds < 2);
}
TEST_CASE("SIGCHLD is ignored, so that no child leaves a status") {
  watchdog dog;
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  board notes;
  const outcome fine = run<on_shm>(notes, 3, [](tutti::shm::communicator& comm) { tutti::barrier(comm); });
  CHECK_FALSE(fine.threw);
  const outcome bad = run<on_shm>(notes, 3, [](tutti::shm::communicator& comm) {
    if (comm.rank() == 1) std::raise(SIGKILL);
    tutti::barrier(comm);
  });
  std::signal(SIGCHLD, before);
  CAPTURE(bad.text);
  CHECK(bad.threw);
  CHECK(bad.rank == 1);
  CHECK(bad.seconds < 2);
}
TEST_CASE("fifty worlds killed in the middle leave nothing") {
  watchdog dog;
  for (int i = 0; i < 50; ++i) {
    board notes;
    const outcome result = run<on_shm>(notes, 2, [&](tutti::shm::communicator& comm) {
      std::vector<float> data(5000, 1.0f);
      for (int k = 0;; ++k) {
        if (k == i % 7 && comm.rank() == i % 2) std::raise(SIGKILL);
        tutti::all_reduce<tutti::ring>(comm, data, tutti::sum{});
      }
    });
    CHECK(result.threw);
    CHECK(result.rank == i % 2);
  }
}
