// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes that nobody forked together meet in shm::world().
#include "program.hpp"

#include <cstddef>

#include <sys/socket.h>

using namespace faults;

namespace {

void sum_of_ranks(tutti::shm::communicator& world) {
  std::vector<int> data(1000, world.rank() + 1);
  tutti::all_reduce(world, data, tutti::sum{});
  tutti::all_reduce<tutti::ring>(world, data, tutti::max{});
  std::printf("rank %d of %d: sum %d\n", world.rank(), world.size(), data[999]);
}

void run_program(const std::string& what) {
  if (what == "meet") {
    auto world = tutti::shm::world();
    sum_of_ranks(world);
  } else if (what == "say so and meet") {
    std::puts("here");
    std::fflush(stdout);
    auto world = tutti::shm::world();
    sum_of_ranks(world);
  } else if (what == "late") {
    if (tutti::find_launcher().rank != 0) poll(nullptr, 0, 200);
    auto world = tutti::shm::world();
    sum_of_ranks(world);
  } else if (what == "late host") {
    if (tutti::find_launcher().rank == 0) poll(nullptr, 0, 200);
    auto world = tutti::shm::world();
    sum_of_ranks(world);
  } else if (what == "two worlds") {
    auto first = tutti::shm::world();
    auto second = tutti::shm::world();
    for (int i = 0; i < 3; ++i) {
      sum_of_ranks(first);
      sum_of_ranks(second);
    }
  } else if (what == "launch 3") {
    tutti::shm::launch(3, sum_of_ranks);
  } else if (what == "work for ever") {
    auto world = tutti::shm::world();
    std::vector<float> data(5000, 1.0f);
    for (int i = 0;; ++i) {
      tutti::all_reduce<tutti::ring>(world, data, tutti::max{});
      tutti::all_reduce<tutti::direct>(world, data, tutti::max{});
      if (i == 10) std::puts("working");
      std::fflush(stdout);
    }
  } else if (what == "leave early") {
    auto world = tutti::shm::world();
    for (int i = 0; i < (world.rank() == 1 ? 3 : 10); ++i) tutti::barrier(world);
  } else if (what == "die at once") {
    auto world = tutti::shm::world();
    if (world.rank() == 1) std::raise(SIGKILL);
    for (int i = 0; i < 10; ++i) tutti::barrier(world);
  }
}

/// Everybody ends well and has the same sum.
void expect_sums(std::vector<program>& ranks, int worlds = 1) {
  const int size = int(ranks.size());
  for (int rank = 0; rank < size; ++rank) {
    CAPTURE(rank);
    const std::string line = "rank " + std::to_string(rank) + " of " + std::to_string(size) + ": sum " +
                             std::to_string(size * (size + 1) / 2) + "\n";
    std::string expected;
    for (int i = 0; i < worlds; ++i) expected += line;
    CHECK(ranks[std::size_t(rank)].text() == expected);
    CHECK(ranks[std::size_t(rank)].exit_status() == 0);
  }
}

}  // namespace

// Runs only where program started it.
TEST_CASE("rank of a world" * doctest::skip()) {
  const char* what = std::getenv("TUTTI_TEST_PROGRAM");
  if (what == nullptr) return;
  alarm(30);
  try {
    run_program(what);
  } catch (const tutti::error& failure) {
    std::printf("error %d about %d: %s\n", int(failure.code()), failure.rank(), failure.what());
    std::fflush(stdout);
    _exit(1);
  }
  std::fflush(stdout);
  _exit(0);
}

TEST_CASE("TUTTI_RANK and TUTTI_SIZE") {
  watchdog dog;
  for (const int size : {1, 2, 4}) {
    CAPTURE(size);
    auto ranks = start_job("meet", size, {{"TUTTI_JOB", job("plain")}});
    expect_sums(ranks);
  }
}
TEST_CASE("nobody launched: a world of one, and two of them don't disturb each other") {
  watchdog dog;
  std::vector<program> ranks;
  for (int i = 0; i < 4; ++i) ranks.emplace_back("meet", environment{});
  for (program& one : ranks) {
    CHECK(one.text() == "rank 0 of 1: sum 1\n");
    CHECK(one.exit_status() == 0);
  }
}
TEST_CASE("a world of one meets nobody, so it doesn't care who sits at the meeting point") {
  watchdog dog;
  const std::string name = job("taken");
  setenv("TUTTI_JOB", name.c_str(), 1);
  sockaddr_un address{};
  const socklen_t bytes = tutti::detail::rendezvous::meeting_point(address, 0);
  unsetenv("TUTTI_JOB");
  const tutti::detail::unique_fd squatter(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  REQUIRE(bind(squatter.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0);
  program alone("meet", {{"TUTTI_JOB", name}});
  CHECK(alone.text() == "rank 0 of 1: sum 1\n");
}
TEST_CASE("without TUTTI_JOB the children of one parent meet, again and again") {
  watchdog dog;
  for (int i = 0; i < 5; ++i) {
    auto ranks = start_job("meet", 3, {});
    expect_sums(ranks);
  }
}
TEST_CASE("every launcher's variables") {
  watchdog dog;
  struct variables {
    const char *rank, *size;
    environment more;
  };
  const std::vector<variables> launchers = {
      {"RANK",
       "WORLD_SIZE",
       {{"LOCAL_WORLD_SIZE", "3"},
        {"MASTER_ADDR", "localhost"},
        {"MASTER_PORT", job("29500")},
        {"TORCHELASTIC_RUN_ID", "none"}}},
      {"OMPI_COMM_WORLD_RANK",
       "OMPI_COMM_WORLD_SIZE",
       {{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}, {"PMIX_NAMESPACE", job("prterun")}}},
      {"OMPI_COMM_WORLD_RANK",
       "OMPI_COMM_WORLD_SIZE",
       {{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}, {"OMPI_MCA_ess_base_jobid", job("77")}}},
      {"PMI_RANK", "PMI_SIZE", {{"MPI_LOCALNRANKS", "3"}}},
      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {}},
      {"SLURM_PROCID", "SLURM_NTASKS", {{"SLURM_JOB_ID", job("4")}, {"SLURM_STEP_ID", "0"}}},
  };
  for (const variables& launcher : launchers) {
    CAPTURE(launcher.rank);
    std::vector<program> ranks;
    for (int rank = 0; rank < 3; ++rank) {
      environment all = launcher.more;
      all.emplace_back(launcher.rank, std::to_string(rank));
      all.emplace_back(launcher.size, "3");
      ranks.emplace_back("meet", all);
    }
    expect_sums(ranks);
  }
}
TEST_CASE("mpirun under srun: Slurm describes the mpirun, and is not asked") {
  watchdog dog;
  auto ranks = start_job("meet", 2, {{"TUTTI_JOB", job("both")}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}});
  expect_sums(ranks);
}
TEST_CASE("late ranks, a late rank 0") {
  watchdog dog;
  auto late = start_job("late", 3, {{"TUTTI_JOB", job("late")}});
  auto host = start_job("late host", 3, {{"TUTTI_JOB", job("late-host")}});
  expect_sums(late);
  expect_sums(host);
}
TEST_CASE("two worlds in one process") {
  watchdog dog;
  auto ranks = start_job("two worlds", 3, {{"TUTTI_JOB", job("two")}});
  expect_sums(ranks, 6);
}
TEST_CASE("two jobs side by side") {
  watchdog dog;
  auto first = start_job("two worlds", 2, {{"TUTTI_JOB", job("left")}});
  auto second = start_job("two worlds", 4, {{"TUTTI_JOB", job("right")}});
  expect_sums(first, 6);
  expect_sums(second, 6);
}
TEST_CASE("launch under a launcher runs in the launcher's ranks") {
  watchdog dog;
  auto ranks = start_job("launch 3", 3, {{"TUTTI_JOB", job("launch")}});
  expect_sums(ranks);
  auto wrong = start_job("launch 3", 2, {{"TUTTI_JOB", job("launch-2")}});
  for (int rank = 0; rank < 2; ++rank) {
    CHECK(wrong[std::size_t(rank)].exit_status() == 1);
    CHECK(wrong[std::size_t(rank)].says("shm::launch on rank " + std::to_string(rank) +
                                        ": size is 3 here and 2 at the launcher (TUTTI)"));
  }
}
TEST_CASE("strangers at the door: silent ones, noisy ones, impatient ones") {
  watchdog dog;
  const std::string name = job("strangers");
  const environment more = {{"TUTTI_JOB", name}};
  std::vector<program> ranks;
  ranks.emplace_back("meet", rank_of(0, 3, more));  // alone, it listens

  setenv("TUTTI_JOB", name.c_str(), 1);
  sockaddr_un address{};
  const socklen_t bytes = tutti::detail::rendezvous::meeting_point(address, 0);
  unsetenv("TUTTI_JOB");
  std::vector<tutti::detail::unique_fd> strangers;
  const auto knock = [&] {
    for (;;) {
      tutti::detail::unique_fd one(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
      if (connect(one.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0) return one;
      poll(nullptr, 0, 2);
    }
  };
  strangers.push_back(knock());  // says nothing
  for (const std::size_t length : {std::size_t(1), std::size_t(20), std::size_t(24), std::size_t(5000)}) {
    strangers.push_back(knock());
    const std::string noise(length, char(0x5a));
    CHECK(send(strangers.back().get(), noise.data(), noise.size(), MSG_NOSIGNAL) == ssize_t(length));
  }
  knock();  // goes at once

  ranks.emplace_back("meet", rank_of(1, 3, more));
  strangers.push_back(knock());
  ranks.emplace_back("meet", rank_of(2, 3, more));
  expect_sums(ranks);
}
TEST_CASE("a slow rank loses nothing, two hundred times") {
  watchdog dog;
  // A program under a sanitizer may take a third of a second to start: then fewer times.
  const std::int64_t end = tutti::detail::now_ns() + 15000000000;
  for (int i = 0; i < 200 && (i < 20 || tutti::detail::now_ns() < end); ++i) {
    auto ranks = start_job(i % 40 == 0 ? "late" : "meet", 2, {{"TUTTI_JOB", job("again")}});
    expect_sums(ranks);
  }
}
