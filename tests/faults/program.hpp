// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Starts this test program again as rank of a job, with an environment as a launcher would set it. What it then does
// is one of the programs in world_test.cpp, chosen by TUTTI_TEST_PROGRAM.

#include "faults.hpp"

#include <csignal>
#include <cstdlib>
#include <utility>

#include <sys/prctl.h>

namespace faults {

using environment = std::vector<std::pair<std::string, std::string>>;

/// Whoever started us must not show through: our tests may themselves run under a launcher.
inline void forget_launchers() {
  for (const auto& known : tutti::detail::known_launchers) {
    unsetenv(known.rank);
    unsetenv(known.size);
  }
  for (const char* name : {"TUTTI_JOB", "TUTTI_TIMEOUT", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID",
                           "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "SLURM_STEP_ID",
                           "OMPI_COMM_WORLD_LOCAL_SIZE", "LOCAL_WORLD_SIZE", "MPI_LOCALNRANKS"})
    unsetenv(name);
}

class program {
 public:
  program(const std::string& what, const environment& variables) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      forget_launchers();
      setenv("TUTTI_TEST_PROGRAM", what.c_str(), 1);
      for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
      execl("/proc/self/exe", "tutti_worlds", "--test-case=rank of a world", "--no-skip", "--no-intro",
            static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    output_ = ends[0];
  }
  ~program() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    wait();
    if (output_ >= 0) close(output_);
  }
  program(program&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        output_(std::exchange(other.output_, -1)),
        status_(other.status_),
        text_(std::move(other.text_)) {}
  program& operator=(program&&) = delete;

  pid_t pid() const { return pid_; }
  /// Waits for the line that ends like this.
  void wait_for(const std::string& line) {
    while (text_.find(line + "\n") == std::string::npos)
      if (!read_more()) return;
  }
  /// All that it wrote until its end.
  const std::string& text() {
    while (read_more()) {
    }
    wait();
    return text_;
  }
  int exit_status() {
    text();
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }
  bool says(const std::string& part) { return text().find(part) != std::string::npos; }

 private:
  bool read_more() {
    char piece[512];
    ssize_t got;
    do got = read(output_, piece, sizeof piece);
    while (got < 0 && errno == EINTR);
    if (got > 0) text_.append(piece, std::size_t(got));
    return got > 0;
  }
  void wait() {
    if (pid_ > 0) waitpid(pid_, &status_, 0);
    pid_ = 0;
  }
  pid_t pid_ = 0;
  int output_ = -1;
  int status_ = 0;
  std::string text_;
};

/// A name that no other test run uses at the same time.
inline std::string job(const char* name) { return std::string(name) + "-" + std::to_string(getpid()); }

inline environment rank_of(int rank, int size, environment more = {}) {
  more.emplace_back("TUTTI_RANK", std::to_string(rank));
  more.emplace_back("TUTTI_SIZE", std::to_string(size));
  return more;
}

/// Ranks 0 to size-1 of one job.
inline std::vector<program> start_job(const std::string& what, int size, const environment& more) {
  std::vector<program> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.emplace_back(what, rank_of(rank, size, more));
  return ranks;
}

}  // namespace faults
