// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Case 26: whoever can guess the name of the meeting point, or names in /dev/shm, can hold a job up but not fool it.
#include "program.hpp"

#include <cstddef>
#include <fstream>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace faults;

namespace {

std::string code(tutti::errc what) { return "error " + std::to_string(int(what)) + " "; }

socklen_t meeting_point_of(const std::string& job_name, sockaddr_un& address) {
  setenv("TUTTI_JOB", job_name.c_str(), 1);
  const socklen_t bytes = tutti::detail::rendezvous::meeting_point(address, 0);
  unsetenv("TUTTI_JOB");
  return bytes;
}

bool sit_down(int door, const sockaddr_un& address, socklen_t bytes) {
  return bind(door, reinterpret_cast<const sockaddr*>(&address), bytes) == 0 && listen(door, 4) == 0;
}

/// What rank 0 answers: its layout is not ours to know, but a squatter of this user can know it.
struct forged_answer {
  std::uint64_t nonce, bytes;
  std::int32_t code, about;
  char refusal[232];
};

/// Rank 1 comes, the squatter in rank 0's place answers this; what rank 1 says then.
std::string answered(const char* name, const void* answer, std::size_t length, int file) {
  const std::string job_name = job(name);
  sockaddr_un address{};
  const socklen_t bytes = meeting_point_of(job_name, address);
  const tutti::detail::unique_fd door(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  REQUIRE(sit_down(door.get(), address, bytes));
  program one("meet", rank_of(1, 2, {{"TUTTI_JOB", job_name}, {"TUTTI_TIMEOUT", "1"}}));
  {
    const tutti::detail::unique_fd guest(accept(door.get(), nullptr, nullptr));
    char heard[256];
    CHECK(recv(guest.get(), heard, sizeof heard, 0) > 0);
    CHECK(tutti::detail::send_with_descriptor(guest.get(), answer, length, file));
    if (file >= 0) recv(guest.get(), heard, sizeof heard, 0);  // until it goes away
  }
  CHECK(one.exit_status() == 1);  // an exception, no signal
  return one.text();
}

}  // namespace

TEST_CASE("case 26: who sits in rank 0's place and talks nonsense is found out (ompi#7308)") {
  watchdog dog;
  const std::string noise(5000, char(0x11));
  const forged_answer welcome{0, std::size_t(1) << 30, 0, 0, {}};
  const tutti::detail::unique_fd empty(memfd_create("empty", MFD_CLOEXEC)),
      garbage(memfd_create("noise", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(write(garbage.get(), noise.data(), noise.size()) == ssize_t(noise.size()));
  REQUIRE(ftruncate(garbage.get(), off_t(welcome.bytes)) == 0);
  REQUIRE(fcntl(garbage.get(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);  // of the right size, and it stays so
  CHECK(contains(answered("short", noise.data(), 7, -1).c_str(), "rank 0 went away"));
  CHECK(contains(answered("long", noise.data(), noise.size(), -1).c_str(), "shm::world on rank 1"));
  CHECK(contains(answered("no file", &welcome, sizeof welcome, -1).c_str(), "rank 0 went away"));
  const std::string expected = code(tutti::errc::launcher);
  const std::string of_empty = answered("empty file", &welcome, sizeof welcome, empty.get());
  CHECK(contains(of_empty.c_str(), expected));
  CHECK(contains(of_empty.c_str(), "what rank 0 sent isn't this job's region"));
  const std::string of_garbage = answered("garbage", &welcome, sizeof welcome, garbage.get());
  CHECK(contains(of_garbage.c_str(), expected));
  CHECK(contains(of_garbage.c_str(), "what rank 0 sent isn't this job's region"));
}

TEST_CASE("case 26: another user sits at the meeting point (ompi#7308)") {
  if (getuid() != 0) {
    MESSAGE("left out: only root can be another user");
    return;
  }
  watchdog dog;
  const std::string name = job("foreign");
  sockaddr_un address{};
  const socklen_t bytes = meeting_point_of(name, address);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t foreigner = fork();
  REQUIRE(foreigner >= 0);
  if (foreigner == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool another = setuid(65534) == 0;
    const int door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const char sits = another && sit_down(door, address, bytes) ? 1 : 0;
    if (write(ends[1], &sits, 1) == 1)
      for (;;) pause();
    _exit(1);
  }
  char sits = 0;
  CHECK(read(ends[0], &sits, 1) == 1);
  REQUIRE(sits == 1);
  auto ranks = start_job("meet", 2, {{"TUTTI_JOB", name}, {"TUTTI_TIMEOUT", "1"}});
  for (program& one : ranks) {
    CAPTURE(one.text());
    CHECK(one.exit_status() == 1);
    CHECK(one.says(code(tutti::errc::launcher)));
  }
  CHECK(ranks[0].says("can't open the meeting point of this job: Address already in use"));
  CHECK(ranks[1].says("the meeting point belongs to user 65534, not to 0"));
  kill(foreigner, SIGKILL);
  waitpid(foreigner, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("case 26: files in /dev/shm with names that could be ours don't matter, and stay (ompi#6322)") {
  watchdog dog;
  const std::string name = job("stale");
  sockaddr_un address{};
  meeting_point_of(name, address);
  std::vector<std::string> files;
  for (const std::string& file : {name, std::string(address.sun_path + 1), "tutti-stale-" + std::to_string(getpid())}) {
    files.push_back("/dev/shm/" + file);
    std::ofstream(files.back()) << "garbage of a job that was killed";
    REQUIRE(chmod(files.back().c_str(), 0) == 0);
  }
  auto ranks = start_job("meet", 3, {{"TUTTI_JOB", name}});
  for (program& one : ranks) {
    CAPTURE(one.text());
    CHECK(one.exit_status() == 0);
    CHECK(one.says("of 3: sum 6"));
  }
  for (const std::string& file : files) {
    CHECK(std::filesystem::file_size(file) == 32);
    CHECK(std::filesystem::remove(file));
  }
}
