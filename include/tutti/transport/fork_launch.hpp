// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/error.hpp>
#include <tutti/transport/descriptor_passing.hpp>
#include <tutti/transport/shared_world.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::detail {

/// The parent of forked ranks: starts them, sees them end, tells the others.
class fork_launch {
 public:
  explicit fork_launch(shared_world world) : world_(world), children_(std::size_t(world.size())) {}

  template <class Rank>
  void run(Rank&& rank_main) {
    std::fflush(nullptr);  // or the children would print it again
    const pid_t parent = getpid();
    for (int rank = 0; rank < world_.size(); ++rank) {
      const pid_t pid = fork();
      if (pid == 0) become_rank(rank, parent, rank_main);
      if (pid < 0) {
        const int reason = errno;
        kill_rest();
        wait_for_all();
        fail(errc::resource, rank, "shm::launch: can't fork rank %d of %d: %s", rank, world_.size(),
             std::strerror(reason));
      }
      children_[std::size_t(rank)] = {pid, unique_fd(int(syscall(SYS_pidfd_open, pid, 0)))};
    }
    wait_for_all();
    const failure_line& failure = world_.failure();
    if (shared_world::memory::observe(failure.published) != 0)
      fail(errc(failure.published - 1), failure.rank, "rank %d failed: %s", failure.rank, failure.text);
  }

 private:
  struct child {
    pid_t pid = 0;
    unique_fd handle{};
  };

  template <class Rank>
  [[noreturn]] void become_rank(int rank, pid_t parent, Rank& rank_main) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent died before the line above
    int status = 0;
#if TUTTI_EXCEPTIONS
    try {
      rank_main(rank);
      world_.set_state(rank, rank_state::left);
    } catch (const error& failure) {
      world_.record_failure(failure.code(), rank, failure.what());
      status = 1;
    } catch (const std::exception& failure) {
      world_.record_failure(errc::peer_failed, rank, failure.what());
      status = 1;
    } catch (...) {
      world_.record_failure(errc::peer_failed, rank, "threw something that is no std::exception");
      status = 1;
    }
#else
    rank_main(rank);
    world_.set_state(rank, rank_state::left);
#endif
    if (std::fflush(nullptr) != 0 && status == 0) {
      char text[128];
      std::snprintf(text, sizeof text, "can't write its output: %s", std::strerror(errno));
      world_.record_failure(errc::resource, rank, text);
      status = 1;
    }
    _exit(status);
  }

  void wait_for_all() {
    constexpr std::int64_t grace_ns = 1000000000;
    std::int64_t trouble_since = 0;
    bool killed = false;
    for (;;) {
      std::vector<pollfd> running;
      int alive = 0;
      for (const child& one : children_) {
        if (one.pid == 0) continue;
        ++alive;
        if (one.handle.get() >= 0) running.push_back({one.handle.get(), POLLIN, 0});
      }
      if (alive == 0) return;
      // Without pidfds (an old kernel) look again every few milliseconds.
      poll(running.data(), nfds_t(running.size()), int(running.size()) < alive ? 5 : 200);
      for (int rank = 0; rank < world_.size(); ++rank) reap(rank);
      if (trouble_since == 0 && shared_world::memory::observe(world_.failure().published) != 0)
        trouble_since = now_ns();
      if (trouble_since != 0 && !killed && now_ns() - trouble_since > grace_ns) {
        kill_rest();
        killed = true;
      }
    }
  }

  void reap(int rank) {
    child& one = children_[std::size_t(rank)];
    if (one.pid == 0) return;
    int status = 0;
    const pid_t ended = waitpid(one.pid, &status, WNOHANG);
    // No such child: SIGCHLD is ignored in this process, or somebody else waits for all children.
    const bool unknown = ended < 0 && errno == ECHILD;
    if (ended != one.pid && !unknown) return;
    const pid_t pid = one.pid;
    one = child{};
    const bool returned = rank_state(shared_world::memory::observe(world_.status(rank).state)) == rank_state::left;
    if (returned && (unknown || (WIFEXITED(status) && WEXITSTATUS(status) == 0))) return;
    char text[160];
    if (unknown)
      std::snprintf(text, sizeof text, "process %d ended, and somebody else took its status", int(pid));
    else if (WIFSIGNALED(status))
      std::snprintf(text, sizeof text, "process %d was killed by signal %d (%s)", int(pid), WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    else
      std::snprintf(text, sizeof text, "process %d exited with status %d%s", int(pid), WEXITSTATUS(status),
                    WEXITSTATUS(status) == 0 ? " before its function returned" : "");
    world_.drop_claim_of(pid);
    world_.record_failure(errc::peer_failed, rank, text);
    world_.set_state(rank, rank_state::dead);
  }

  void kill_rest() {
    for (const child& one : children_)
      if (one.pid != 0) kill(one.pid, SIGKILL);
  }

  shared_world world_;
  std::vector<child> children_;
};

}  // namespace tutti::detail
