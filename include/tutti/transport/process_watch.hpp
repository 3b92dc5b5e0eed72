// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/cpus.hpp>
#include <tutti/transport/descriptor_passing.hpp>
#include <tutti/transport/onlooker.hpp>
#include <tutti/transport/shared_world.hpp>

#include <cerrno>
#include <cstdio>
#include <vector>

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::detail {

inline int open_process(pid_t pid) { return int(syscall(SYS_pidfd_open, pid, 0)); }

inline std::uint64_t own_pid_namespace() {
  struct stat info {};
  return stat("/proc/self/ns/pid", &info) == 0 ? std::uint64_t(info.st_ino) : 0;
}

/// Makes this process known to its peers, before it is let into the world.
inline void sign_in(const shared_world& world, int rank) {
  world.status(rank).pid = std::uint64_t(getpid());
  world.status(rank).pid_namespace = own_pid_namespace();
  world.status(rank).cpus = cpu_share::of_this_thread().packed();
}

/// Sees peers die in worlds that no parent of ours watches: a pidfd becomes readable when its process ends,
/// and can't be taken over by another process. Peers in another pid namespace are left to the deadline.
class process_watch final : public onlooker {
 public:
  /// Every rank has signed in before. The world stays where it is.
  void open(const shared_world& world, int rank) {
    world_ = &world;
    peers_.resize(std::size_t(world.size()));
    const std::uint64_t here = own_pid_namespace();
    for (int peer = 0; peer < world.size(); ++peer) {
      const status_line& status = world.status(peer);
      if (peer == rank || status.pid_namespace != here) continue;
      peers_[std::size_t(peer)].reset(open_process(pid_t(status.pid)));
      if (peers_[std::size_t(peer)].get() < 0 && errno == ESRCH) report(world, peer);
    }
  }

  void look(const char*, int) override {
    for (int peer = 0; peer < world_->size(); ++peer) {
      pollfd process{peers_[std::size_t(peer)].get(), POLLIN, 0};
      if (process.fd >= 0 && poll(&process, 1, 0) == 1) report(*world_, peer);
    }
  }

 private:
  /// The process has ended: a failure, unless its rank has left in order. The next look throws it.
  static void report(const shared_world& world, int peer) {
    if (rank_state(hardware_memory::observe(world.status(peer).state)) == rank_state::left) return;
    const auto pid = pid_t(world.status(peer).pid);
    char text[128];
    std::snprintf(text, sizeof text, "process %d of rank %d died", int(pid), peer);
    world.drop_claim_of(pid);
    world.record_failure(errc::peer_failed, peer, text);
  }

  const shared_world* world_ = nullptr;
  std::vector<unique_fd> peers_;
};

}  // namespace tutti::detail
