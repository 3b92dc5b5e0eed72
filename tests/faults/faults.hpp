// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the fault tests share: notes that outlive their rank, a watchdog, and a look for what stays behind.

#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faults {

/// A hang ends the program at once (SIGALRM), not after CTest's patience.
struct watchdog {
  explicit watchdog(unsigned seconds = 50) { alarm(seconds); }
  ~watchdog() { alarm(0); }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
};

/// What became of one rank, written by itself.
struct note {
  int finished;  // its function returned
  int threw;
  tutti::errc code;
  int about;
  char text[640];
  int progress;  // whatever a test counts
};

/// Memory of all ranks, threads or processes.
class board {
 public:
  static constexpr int ranks = 16;
  board() {
    void* memory = mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    all_ = static_cast<shared*>(memory);
  }
  ~board() { munmap(all_, sizeof(shared)); }
  board(const board&) = delete;
  board& operator=(const board&) = delete;

  note& operator[](int rank) const { return all_->notes[rank]; }
  /// When a rank was sent to its death.
  std::int64_t& died_at() const { return all_->died_at; }
  double seconds_since_death() const { return double(tutti::detail::now_ns() - all_->died_at) * 1e-9; }

  /// Runs a rank and writes down how it ends.
  template <class Function>
  void watch(int rank, Function&& function) const {
    try {
      function();
      (*this)[rank].finished = 1;
    } catch (const tutti::error& failure) {
      note& mine = (*this)[rank];
      mine.threw = 1;
      mine.code = failure.code();
      mine.about = failure.rank();
      std::snprintf(mine.text, sizeof mine.text, "%s", failure.what());
      throw;
    }
  }

 private:
  struct shared {
    note notes[ranks];
    std::int64_t died_at;
  };
  shared* all_;
};

inline bool contains(const char* text, const std::string& part) { return std::strstr(text, part.c_str()) != nullptr; }

/// Files of shared memory; those of MPI programs that run beside us don't count.
inline std::set<std::string> shared_files() {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
    const std::string name = entry.path().filename();
    const auto starts = [&name](const char* with) { return name.rfind(with, 0) == 0; };
    if (!starts("vader") && !starts("sm_segment") && !starts("ompi") && !starts("open_mpi") && !starts("mpich") &&
        !starts("osc") && !starts("pmix"))
      names.insert(name);
  }
  return names;
}

inline bool has_children() { return !(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD); }

/// How a launch ended.
struct outcome {
  bool threw = false;
  tutti::errc code{};
  int rank = -2;
  std::string text;
  double seconds = 0;
  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

struct on_threads {
  static constexpr bool processes = false;
  using communicator = tutti::threads::communicator;
  template <class Function>
  static void launch(int size, Function function) {
    tutti::threads::launch(size, function);
  }
};
struct on_shm {
  static constexpr bool processes = true;
  using communicator = tutti::shm::communicator;
  template <class Function>
  static void launch(int size, Function function) {
    tutti::shm::launch(size, function);
  }
};

/// Launches, writes down what became of everyone, and checks that nothing is left: no child, no file.
template <class Transport, class Function>
outcome run(const board& notes, int size, Function function) {
  using communicator = typename Transport::communicator;
  const auto files = shared_files();
  const std::int64_t begin = tutti::detail::now_ns();
  outcome result;
  try {
    Transport::launch(size, [&](communicator& comm) { notes.watch(comm.rank(), [&] { function(comm); }); });
  } catch (const tutti::error& failure) {
    result.threw = true;
    result.code = failure.code();
    result.rank = failure.rank();
    result.text = failure.what();
  }
  result.seconds = double(tutti::detail::now_ns() - begin) * 1e-9;
  CHECK_FALSE(has_children());
  for (const std::string& name : shared_files()) {
    INFO("new in /dev/shm: ", name);
    CHECK(files.count(name) == 1);
  }
  return result;
}

}  // namespace faults
