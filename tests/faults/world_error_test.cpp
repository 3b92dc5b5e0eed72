// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worlds that can't come about: the launcher's variables contradict themselves or each other, somebody is missing or
// comes twice. Everyone who came gets an error.
#include "program.hpp"

using namespace faults;

namespace {

std::string code(tutti::errc what) { return "error " + std::to_string(int(what)) + " "; }

/// One process with these variables fails at once with this text.
void expect_launcher_error(const environment& variables, const std::string& text) {
  watchdog dog;
  const std::int64_t begin = tutti::detail::now_ns();
  program one("meet", variables);
  CAPTURE(one.text());
  CHECK(one.exit_status() == 1);
  CHECK(one.says(code(tutti::errc::launcher)));
  CHECK(one.says(text));
  CHECK(tutti::detail::now_ns() - begin < 5000000000);  // no deadline: the program's start, under a sanitizer as well
}

double seconds_since(std::int64_t begin) { return double(tutti::detail::now_ns() - begin) * 1e-9; }

}  // namespace

TEST_CASE("variables that contradict themselves") {
  expect_launcher_error({{"TUTTI_RANK", "0"}}, "the launcher set TUTTI_RANK but not TUTTI_SIZE");
  expect_launcher_error({{"WORLD_SIZE", "2"}}, "the launcher set WORLD_SIZE but not RANK");
  expect_launcher_error({{"SLURM_PROCID", "0"}}, "the launcher set SLURM_PROCID but not SLURM_NTASKS");
  expect_launcher_error(rank_of(2, 2), "TUTTI_RANK=2 is not below TUTTI_SIZE=2");
  expect_launcher_error(rank_of(-1, 2), "TUTTI_RANK=\"-1\" is not a whole number of at least 0");
  expect_launcher_error(rank_of(0, 0), "TUTTI_SIZE=\"0\" is not a whole number of at least 1");
  expect_launcher_error({{"TUTTI_RANK", "one"}, {"TUTTI_SIZE", "2"}}, "TUTTI_RANK=\"one\" is not a whole number");
  expect_launcher_error({{"TUTTI_RANK", "1x"}, {"TUTTI_SIZE", "2"}}, "TUTTI_RANK=\"1x\" is not a whole number");
  expect_launcher_error({{"TUTTI_RANK", ""}, {"TUTTI_SIZE", "2"}}, "TUTTI_RANK=\"\" is not a whole number");
  expect_launcher_error({{"TUTTI_RANK", "0"}, {"TUTTI_SIZE", "99999999999999999999"}}, "is not a whole number");
  expect_launcher_error(rank_of(0, 1, {{"TUTTI_TIMEOUT", "soon"}}),
                        "TUTTI_TIMEOUT=\"soon\" is not a number of seconds above 0");
  expect_launcher_error(rank_of(0, 2, {{"TUTTI_TIMEOUT", "-3"}}),
                        "TUTTI_TIMEOUT=\"-3\" is not a number of seconds above 0");
}
TEST_CASE("launchers that contradict each other") {
  expect_launcher_error(rank_of(0, 2, {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
                        "TUTTI says rank 0 of 2, but Open MPI says rank 1 of 2");
  expect_launcher_error(rank_of(0, 2, {{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}),
                        "TUTTI says rank 0 of 2, but Hydra says rank 0 of 4");
  expect_launcher_error(
      {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MV2_COMM_WORLD_RANK", "0"}, {"MV2_COMM_WORLD_SIZE", "8"}},
      "torchrun says rank 0 of 1, but MVAPICH says rank 0 of 8");
}
TEST_CASE("ranks on several hosts") {
  expect_launcher_error(
      {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}},
      "the job has 4 ranks but OMPI_COMM_WORLD_LOCAL_SIZE=2 of them are on this host");
  expect_launcher_error({{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_WORLD_SIZE", "2"}},
                        "shm::world on rank 3: the job has 4 ranks but LOCAL_WORLD_SIZE=2");
  expect_launcher_error({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "1"}},
                        "the job has 2 ranks but MPI_LOCALNRANKS=1");
}

TEST_CASE("a rank doesn't come: those who came hear who") {
  watchdog dog;
  const environment more = {{"TUTTI_JOB", job("missing")}, {"TUTTI_TIMEOUT", "1"}};
  const std::int64_t begin = tutti::detail::now_ns();
  std::vector<program> ranks;
  for (const int rank : {0, 2}) ranks.emplace_back("meet", rank_of(rank, 4, more));
  for (program& one : ranks) {
    CAPTURE(one.text());
    CHECK(one.exit_status() == 1);
    CHECK(one.says(code(tutti::errc::timeout) + "about 0: "));
    CHECK(one.says("didn't come within "));  // 1.0 s, less where rank 2 started first
    CHECK(one.says(" s: rank 1, 3 of 4 (TUTTI)"));
  }
  CHECK(seconds_since(begin) > 0.9);
  CHECK(seconds_since(begin) < 4);
}
TEST_CASE("the shortest deadline of those who came is everybody's, and all hear the same reason") {
  watchdog dog;
  const std::string name = job("impatient");
  const std::int64_t begin = tutti::detail::now_ns();
  program zero("meet", rank_of(0, 4, {{"TUTTI_JOB", name}, {"TUTTI_TIMEOUT", "50"}}));
  program two("meet", rank_of(2, 4, {{"TUTTI_JOB", name}, {"TUTTI_TIMEOUT", "1"}}));
  for (program* one : {&zero, &two}) {
    CAPTURE(one->text());
    CHECK(one->exit_status() == 1);
    CHECK(one->says(code(tutti::errc::timeout) + "about 0: "));
    CHECK(one->says("didn't come within "));  // from rank 0's start on: less than a second where it started later
    CHECK(one->says(" s: rank 1, 3 of 4 (TUTTI)"));
    CHECK_FALSE(one->says("within 50"));
  }
  CHECK(seconds_since(begin) < 4);
}
TEST_CASE("rank 0 doesn't come") {
  watchdog dog;
  program one("meet", rank_of(1, 2, {{"TUTTI_JOB", job("no-zero")}, {"TUTTI_TIMEOUT", "1"}}));
  CAPTURE(one.text());
  CHECK(one.exit_status() == 1);
  CHECK(one.says(code(tutti::errc::timeout)));
  CHECK(one.says("shm::world on rank 1 of 2: rank 0 didn't come within 1.0 s (TUTTI)"));
}
TEST_CASE("a silent stranger doesn't stretch the deadline") {
  watchdog dog;
  const std::string name = job("silent");
  const std::int64_t begin = tutti::detail::now_ns();
  program zero("meet", rank_of(0, 2, {{"TUTTI_JOB", name}, {"TUTTI_TIMEOUT", "1"}}));
  setenv("TUTTI_JOB", name.c_str(), 1);
  sockaddr_un address{};
  const socklen_t bytes = tutti::detail::rendezvous::meeting_point(address, 0);
  unsetenv("TUTTI_JOB");
  const tutti::detail::unique_fd stranger(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  while (connect(stranger.get(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0) poll(nullptr, 0, 2);
  CHECK(zero.exit_status() == 1);
  CHECK(zero.says("didn't come within 1.0 s: rank 1 of 2"));
  CHECK(seconds_since(begin) < 4);
}
TEST_CASE("ranks that disagree about the size") {
  watchdog dog;
  const environment more = {{"TUTTI_JOB", job("sizes")}, {"TUTTI_TIMEOUT", "2"}};
  std::vector<program> ranks;
  ranks.emplace_back("meet", rank_of(0, 3, more));
  ranks.emplace_back("meet", rank_of(1, 3, more));
  ranks.emplace_back("meet", rank_of(2, 4, more));
  int heard = 0;
  for (program& one : ranks) {
    CAPTURE(one.text());
    CHECK(one.exit_status() == 1);
    // Who comes after rank 0 has given up finds nobody.
    CHECK(
        (one.says("size is 3 here and 4 on rank 2") || one.says("rank 0 didn't come") || one.says("rank 0 went away")));
    heard += one.says(code(tutti::errc::launcher) + "about 0: ") && one.says("size is 3 here and 4 on rank 2");
  }
  CHECK(heard >= 2);
}
TEST_CASE("one rank comes twice") {
  watchdog dog;
  const environment more = {{"TUTTI_JOB", job("twice")}, {"TUTTI_TIMEOUT", "2"}};
  std::vector<program> ranks;
  for (const int rank : {0, 1, 1}) ranks.emplace_back("meet", rank_of(rank, 3, more));
  for (program& one : ranks) {
    CAPTURE(one.text());
    CHECK(one.exit_status() == 1);
    CHECK(one.says(code(tutti::errc::launcher)));
    CHECK(one.says("two processes say they are rank 1 of 3"));
  }
}
TEST_CASE("rank 0 comes twice: two jobs that look alike") {
  watchdog dog;
  const environment more = {{"TUTTI_JOB", job("zeros")}, {"TUTTI_TIMEOUT", "1"}};
  std::vector<program> ranks;
  for (const int rank : {0, 0}) ranks.emplace_back("meet", rank_of(rank, 2, more));
  int alike = 0;
  for (program& one : ranks) {
    CAPTURE(one.text());
    CHECK(one.exit_status() == 1);
    alike += one.says("two jobs look alike: give each its own TUTTI_JOB");
  }
  CHECK(alike == 1);
}
TEST_CASE("somebody of this user sits at the meeting point and never answers") {
  watchdog dog;
  const std::string name = job("squatter");
  setenv("TUTTI_JOB", name.c_str(), 1);
  sockaddr_un address{};
  const socklen_t bytes = tutti::detail::rendezvous::meeting_point(address, 0);
  unsetenv("TUTTI_JOB");
  const tutti::detail::unique_fd squatter(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  REQUIRE(bind(squatter.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0);
  REQUIRE(listen(squatter.get(), 4) == 0);
  const std::int64_t begin = tutti::detail::now_ns();
  auto ranks = start_job("meet", 2, {{"TUTTI_JOB", name}, {"TUTTI_TIMEOUT", "1"}});
  for (program& one : ranks) {
    CAPTURE(one.text());
    CHECK(one.exit_status() == 1);
  }
  CHECK(ranks[0].says("shm::world on rank 0 of 2: can't open the meeting point of this job: Address already in use"));
  CHECK(ranks[1].says("rank 0 went away or ran out of time (1.0 s)"));
  CHECK(seconds_since(begin) < 4);
}
