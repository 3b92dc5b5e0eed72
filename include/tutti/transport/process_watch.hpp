// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/descriptor_passing.hpp>
#include <tutti/transport/shared_communicator.hpp>

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

/// Sees peers die in worlds that no parent of ours watches: a pidfd becomes readable when its process ends,
/// and can't be taken over by another process. Peers in another pid namespace are left to the deadline.
class process_watch {
 public:
  /// Every rank has written its pid before.
  void open(const shared_communicator& comm) {
    peers_.resize(std::size_t(comm.size()));
    const std::uint64_t here = own_pid_namespace();
    for (int peer = 0; peer < comm.size(); ++peer) {
      const status_line& status = comm.world().status(peer);
      if (peer != comm.rank() && status.pid_namespace == here) peers_[std::size_t(peer)].reset(open_process(pid_t(status.pid)));
    }
  }

  static void look(const shared_communicator& comm, void* self) { static_cast<process_watch*>(self)->look_at_all(comm); }

 private:
  void look_at_all(const shared_communicator& comm) {
    for (int peer = 0; peer < comm.size(); ++peer) {
      pollfd process{peers_[std::size_t(peer)].get(), POLLIN, 0};
      if (process.fd < 0 || poll(&process, 1, 0) != 1) continue;
      if (rank_state(hardware_memory::observe(comm.world().status(peer).state)) == rank_state::left) continue;
      char text[128];
      std::snprintf(text, sizeof text, "process %llu of rank %d died", static_cast<unsigned long long>(comm.world().status(peer).pid), peer);
      comm.world().record_failure(errc::peer_failed, peer, text);
      return;  // the next look throws it
    }
  }
  std::vector<unique_fd> peers_;
};

}  // namespace tutti::detail
