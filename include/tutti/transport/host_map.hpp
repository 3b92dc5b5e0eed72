// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/transport/descriptor_passing.hpp>
#include <tutti/transport/mpi_api.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/random.h>

namespace tutti::detail {

/// What tells this host from others, as far as that can be read: the kernel's boot, the user, and TUTTI_HOST.
inline std::uint64_t host_identity(int rank) {
  char boot[64] = "", name[512];
  std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file != nullptr) {
    boot[std::fread(boot, 1, sizeof boot - 1, file)] = 0;
    std::fclose(file);
  }
  const char* said = std::getenv("TUTTI_HOST");
  const int length =
      std::snprintf(name, sizeof name, "%u|%s|%s", unsigned(getuid()), boot, said == nullptr ? "" : said);
  if (length >= int(sizeof name))
    fail(errc::launcher, rank, "tutti on rank %d: TUTTI_HOST has %zu characters, at most 400 expected", rank,
         std::strlen(said));
  return mix(literal(name).hash(), 1);
}

/// Which ranks of an MPI communicator share memory. Who looks like this host is not believed: the first of those ranks
/// opens a socket of a name that it has just made up, and those who reach it are its host's. Others (containers that
/// share a kernel but no network) try once more among themselves.
class host_map {
 public:
  /// Collective. The rounds of it are as many as hosts that look like one.
  explicit host_map(MPI_Comm everybody) : comm_(everybody) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    first_.resize(std::size_t(size_), -1);
    ask();
    while (!complete()) find_neighbours();
  }

  /// The first rank on the host of each rank.
  const std::vector<int>& first() const { return first_; }
  int host() const { return first_[std::size_t(rank_)]; }
  int ranks_here() const { return before(size_); }
  /// This rank's number among those of its host.
  int number_here() const { return before(rank_); }
  /// What the ranks of this host know, and nobody else.
  std::uint64_t secret() const { return cards_[std::size_t(host())].secret; }

 private:
  struct card {
    std::uint64_t identity, secret;
  };

  int before(int end) const {
    int count = 0;
    for (int rank = 0; rank < end; ++rank) count += first_[std::size_t(rank)] == host();
    return count;
  }

  void ask() {
    card mine{host_identity(rank_), 0};
    if (getrandom(&mine.secret, sizeof mine.secret, 0) != ssize_t(sizeof mine.secret))
      mine.secret = mix(std::uint64_t(now_ns()), std::uint64_t(getpid()));
    cards_.resize(std::size_t(size_));
    expect_mpi(MPI_Allgather(&mine, int(sizeof mine), MPI_BYTE, cards_.data(), int(sizeof mine), MPI_BYTE, comm_),
               rank_, "MPI_Allgather");
  }

  bool settled(int rank) const { return first_[std::size_t(rank)] >= 0; }
  bool complete() const {
    for (int rank = 0; rank < size_; ++rank)
      if (!settled(rank)) return false;
    return true;
  }
  /// The first rank without a host that looks like this one's.
  int opener_for(int rank) const {
    for (int other = 0; other < rank; ++other)
      if (!settled(other) && cards_[std::size_t(other)].identity == cards_[std::size_t(rank)].identity) return other;
    return rank;
  }

  void find_neighbours() {
    const bool looks = !settled(rank_);
    const int opener = looks ? opener_for(rank_) : -1;
    unique_fd door;
    if (looks && opener == rank_) door = open_door();
    expect_mpi(MPI_Barrier(comm_), rank_, "MPI_Barrier");
    const char found = char(looks && (opener == rank_ || reach(opener)));
    std::vector<char> all(static_cast<std::size_t>(size_));
    expect_mpi(MPI_Allgather(&found, 1, MPI_CHAR, all.data(), 1, MPI_CHAR, comm_), rank_, "MPI_Allgather");
    std::vector<int> next = first_;
    for (int rank = 0; rank < size_; ++rank)
      if (!settled(rank) && all[std::size_t(rank)] != 0) next[std::size_t(rank)] = opener_for(rank);
    first_ = static_cast<std::vector<int>&&>(next);
  }

  socklen_t address_of(int opener, sockaddr_un& address) const {
    address = {};
    address.sun_family = AF_UNIX;
    const int length =
        std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "tutti-host-%016llx",
                      static_cast<unsigned long long>(mix(cards_[std::size_t(opener)].secret, std::uint64_t(opener))));
    return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + std::size_t(length));
  }
  /// Whoever can't open one is found by nobody, and alone on its host.
  unique_fd open_door() const {
    sockaddr_un address;
    const socklen_t bytes = address_of(rank_, address);
    unique_fd door(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (door.get() < 0 || bind(door.get(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0 ||
        listen(door.get(), size_) != 0)
      door.reset(-1);
    return door;
  }
  bool reach(int opener) const {
    sockaddr_un address;
    const socklen_t bytes = address_of(opener, address);
    unique_fd line(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    return line.get() >= 0 && connect(line.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0 &&
           peer_user(line.get()) == long(getuid());
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  std::vector<card> cards_;
  std::vector<int> first_;  // -1: not known yet
};

}  // namespace tutti::detail
