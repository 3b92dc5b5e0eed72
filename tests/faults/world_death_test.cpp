// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worlds without a parent of ours: nobody reaps the ranks, and still the others see one die.
#include "program.hpp"

using namespace faults;

namespace {

std::string failed_about(int rank) {
  return "error " + std::to_string(int(tutti::errc::peer_failed)) + " about " + std::to_string(rank) + ": ";
}

}  // namespace

TEST_CASE("kill -9 of one process") {
  watchdog dog;
  for (const int size : {2, 4})
    for (const int victim : {0, size - 1}) {
      CAPTURE(size);
      CAPTURE(victim);
      const auto files = shared_files();
      auto ranks = start_job("work for ever", size, {{"TUTTI_JOB", job("kill")}});
      for (program& one : ranks) one.wait_for("working");
      const std::int64_t begin = tutti::detail::now_ns();
      REQUIRE(kill(ranks[std::size_t(victim)].pid(), SIGKILL) == 0);
      for (int rank = 0; rank < size; ++rank) {
        if (rank == victim) continue;
        program& one = ranks[std::size_t(rank)];
        CAPTURE(one.text());
        CHECK(one.exit_status() == 1);
        CHECK(one.says(failed_about(victim)));
        CHECK(one.says("all_reduce on rank " + std::to_string(rank) + ": rank " + std::to_string(victim) +
                       " failed: process "));
        CHECK(one.says(" of rank " + std::to_string(victim) + " died"));
      }
      CHECK(double(tutti::detail::now_ns() - begin) * 1e-9 < 2);
      CHECK(ranks[std::size_t(victim)].exit_status() == 128 + SIGKILL);
      CHECK(shared_files() == files);
    }
}
TEST_CASE("a rank dies as soon as the world is there") {
  watchdog dog;
  for (int i = 0; i < 30; ++i) {
    auto ranks = start_job("die at once", 3, {{"TUTTI_JOB", job("at-once")}});
    for (const int rank : {0, 2}) {
      program& one = ranks[std::size_t(rank)];
      CAPTURE(one.text());
      CHECK(one.exit_status() == 1);
      CHECK(one.says(failed_about(1)));
    }
  }
}
TEST_CASE("a rank leaves early") {
  watchdog dog;
  auto ranks = start_job("leave early", 3, {{"TUTTI_JOB", job("leave")}});
  CHECK(ranks[1].exit_status() == 0);
  for (const int rank : {0, 2}) {
    program& one = ranks[std::size_t(rank)];
    CAPTURE(one.text());
    CHECK(one.exit_status() == 1);
    CHECK(one.says(failed_about(1)));
    CHECK(one.says("rank 1 has left before operation "));
  }
}
TEST_CASE("a process is killed while it waits for the others") {
  watchdog dog;
  const environment more = {{"TUTTI_JOB", job("waiting")}, {"TUTTI_TIMEOUT", "3"}};
  program zero("say so and meet", rank_of(0, 3, more));
  program one("say so and meet", rank_of(1, 3, more));
  for (program* there : {&zero, &one}) there->wait_for("here");
  poll(nullptr, 0, 300);
  REQUIRE(kill(one.pid(), SIGKILL) == 0);
  one.text();
  program two("meet", rank_of(2, 3, more));
  for (program* left : {&zero, &two}) {
    CAPTURE(left->text());
    CHECK(left->exit_status() == 1);
    CHECK(left->says(failed_about(1)));
    CHECK(left->says("rank 1 of 3 went away while the world was made"));
  }
}
