// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/launcher.hpp>
#include <tutti/transport/descriptor_passing.hpp>
#include <tutti/transport/region.hpp>
#include <tutti/transport/shared_world.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <poll.h>
#include <sys/random.h>

namespace tutti::detail {

/// What the ranks of one job share and other jobs don't, as text. Explicit TUTTI_JOB first.
inline void job_key(char* key, std::size_t room) {
  const auto all_set = [](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (std::getenv(name) == nullptr) return false;
    return true;
  };
  if (all_set({"TUTTI_JOB"}))
    std::snprintf(key, room, "tutti:%s", std::getenv("TUTTI_JOB"));
  else if (all_set({"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}))
    std::snprintf(key, room, "torch:%s:%s:%s", std::getenv("MASTER_ADDR"), std::getenv("MASTER_PORT"),
                  std::getenv("TORCHELASTIC_RUN_ID") == nullptr ? "" : std::getenv("TORCHELASTIC_RUN_ID"));
  else if (all_set({"PMIX_NAMESPACE"}))
    std::snprintf(key, room, "pmix:%s", std::getenv("PMIX_NAMESPACE"));
  else if (all_set({"OMPI_MCA_ess_base_jobid"}))
    std::snprintf(key, room, "ompi:%s", std::getenv("OMPI_MCA_ess_base_jobid"));
  else if (all_set({"SLURM_JOB_ID", "SLURM_STEP_ID"}))
    std::snprintf(key, room, "slurm:%s.%s", std::getenv("SLURM_JOB_ID"), std::getenv("SLURM_STEP_ID"));
  else {
    // The parent and when it started: pids come back, pairs of both don't.
    char path[64], stat[1024] = "";
    std::snprintf(path, sizeof path, "/proc/%d/stat", int(getppid()));
    if (std::FILE* file = std::fopen(path, "re")) {
      stat[std::fread(stat, 1, sizeof stat - 1, file)] = 0;
      std::fclose(file);
    }
    const char* field = std::strrchr(stat, ')');  // the name before it may hold blanks
    unsigned long long started = 0;
    for (int number = 2; field != nullptr && number < 22; ++number) field = std::strchr(field + 1, ' ');
    if (field != nullptr) started = std::strtoull(field, nullptr, 10);
    std::snprintf(key, room, "parent:%d:%llu", int(getppid()), started);
  }
}

/// Brings the processes of a job together in one region, through an abstract socket name that only they
/// can compute and that vanishes with rank 0.
class rendezvous {
 public:
  rendezvous(launcher_info me, std::size_t bytes, double seconds)
      : me_(me), bytes_(bytes), deadline_(now_ns() + std::int64_t(seconds * 1e9)), seconds_(seconds) {
    static std::atomic<unsigned> worlds{0};  // the n-th world of every rank is the same world
    char key[256], name[320];
    job_key(key, sizeof key);
    std::snprintf(name, sizeof name, "%u|%s|%u", unsigned(getuid()), key, worlds.fetch_add(1));
    address_.sun_family = AF_UNIX;
    const int length = std::snprintf(address_.sun_path + 1, sizeof address_.sun_path - 1, "tutti-%016llx",
                                     static_cast<unsigned long long>(mix(literal(name).hash(), 1)));
    address_bytes_ = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + std::size_t(length));
  }

  region meet() { return me_.rank == 0 ? host() : join(); }

 private:
  struct hello {
    std::uint32_t version;
    std::int32_t rank, size;
  };
  struct invitation {
    std::uint64_t nonce, bytes;
  };

  int milliseconds_left() const {
    const std::int64_t left = (deadline_ - now_ns()) / 1000000;
    return left < 0 ? 0 : int(left);
  }

  region host() {
    region made = make_region(bytes_);
    std::uint64_t nonce = 0;
    if (getrandom(&nonce, sizeof nonce, 0) != ssize_t(sizeof nonce)) nonce = std::uint64_t(now_ns());
    shared_world(made, me_.size).create(nonce);

    const unique_fd door(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (door.get() < 0 || bind(door.get(), reinterpret_cast<const sockaddr*>(&address_), address_bytes_) != 0 ||
        listen(door.get(), me_.size) != 0)
      fail(errc::launcher, 0, "shm::world on rank 0 of %d: can't open the meeting point of this job: %s%s", me_.size, std::strerror(errno),
           errno == EADDRINUSE ? " (two jobs look alike: give each its own TUTTI_JOB)" : "");

    std::vector<unique_fd> guests(std::size_t(me_.size));
    for (int missing = me_.size - 1; missing > 0;) {
      pollfd waiting{door.get(), POLLIN, 0};
      if (poll(&waiting, 1, milliseconds_left()) == 0) throw_missing(guests);
      unique_fd guest(accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (guest.get() < 0 || peer_user(guest.get()) != long(getuid())) continue;
      limit(guest.get());
      hello from{};
      unique_fd none;
      if (!receive_with_descriptor(guest.get(), &from, sizeof from, none)) continue;
      if (from.version != shared_world::version || from.size != me_.size || from.rank <= 0 || from.rank >= me_.size)
        fail(errc::launcher, 0, "shm::world on rank 0: size is %d here and %d on rank %d (or another version of tutti)", me_.size, from.size, from.rank);
      if (guests[std::size_t(from.rank)].get() >= 0)
        fail(errc::launcher, 0, "shm::world on rank 0: two processes say they are rank %d of %d", from.rank, me_.size);
      const invitation text{nonce, bytes_};
      if (!send_with_descriptor(guest.get(), &text, sizeof text, made.file_descriptor())) continue;
      guests[std::size_t(from.rank)] = static_cast<unique_fd&&>(guest);
      --missing;
    }
    for (int step = 0; step < 2; ++step)  // all are attached; all know it
      for (int rank = 1; rank < me_.size; ++rank) {
        char word = 1;
        unique_fd none;
        const int there = guests[std::size_t(rank)].get();
        if (step == 0 ? !receive_with_descriptor(there, &word, 1, none) : !send_with_descriptor(there, &word, 1, -1))
          fail(errc::peer_failed, rank, "shm::world on rank 0: rank %d of %d went away while the world was made", rank, me_.size);
      }
    return made;
  }

  region join() {
    unique_fd line;
    for (;;) {
      line.reset(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
      if (line.get() < 0) fail(errc::resource, me_.rank, "shm::world on rank %d: no socket: %s", me_.rank, std::strerror(errno));
      if (connect(line.get(), reinterpret_cast<const sockaddr*>(&address_), address_bytes_) == 0) break;
      if (milliseconds_left() == 0)
        fail(errc::timeout, 0, "shm::world on rank %d of %d: rank 0 didn't come within %.1f s (%s)", me_.rank, me_.size, seconds_, me_.source);
      poll(nullptr, 0, 2);
    }
    if (peer_user(line.get()) != long(getuid()))
      fail(errc::launcher, me_.rank, "shm::world on rank %d: the meeting point belongs to user %ld, not to %ld", me_.rank, peer_user(line.get()), long(getuid()));
    limit(line.get());
    const hello mine{shared_world::version, me_.rank, me_.size};
    invitation text{};
    unique_fd file;
    char word = 1;
    unique_fd none;
    if (!send_with_descriptor(line.get(), &mine, sizeof mine, -1) || !receive_with_descriptor(line.get(), &text, sizeof text, file) || file.get() < 0)
      throw_host_gone();
    region shared = region::adopt(file.release(), text.bytes);
    if (!shared_world(shared, me_.size).made_for(text.nonce))
      fail(errc::launcher, me_.rank, "shm::world on rank %d: what rank 0 sent isn't this job's region", me_.rank);
    if (!send_with_descriptor(line.get(), &word, 1, -1) || !receive_with_descriptor(line.get(), &word, 1, none)) throw_host_gone();
    return shared;
  }

  [[noreturn]] void throw_host_gone() const {
    fail(errc::peer_failed, 0, "shm::world on rank %d of %d: rank 0 refused this rank, went away or ran out of time (%.1f s)", me_.rank, me_.size, seconds_);
  }
  [[noreturn]] void throw_missing(const std::vector<unique_fd>& guests) const {
    char missing[256] = "";
    std::size_t used = 0;
    for (int rank = 1; rank < me_.size && used < sizeof missing - 16; ++rank)
      if (guests[std::size_t(rank)].get() < 0)
        used += std::size_t(std::snprintf(missing + used, sizeof missing - used, "%s%d", used == 0 ? "" : ", ", rank));
    fail(errc::timeout, 0, "shm::world on rank 0 of %d: didn't come within %.1f s: rank %s (%s)", me_.size, seconds_, missing, me_.source);
  }
  void limit(int socket) const {
    timeval left{};
    left.tv_sec = milliseconds_left() / 1000 + 1;
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &left, sizeof left);
  }

 public:
  /// A sparse file region of the size wished, or of 64 GiB where the system refuses that much.
  static region make_region(std::size_t& bytes) {
#if TUTTI_EXCEPTIONS
    try {
      return region::file(bytes);
    } catch (const error&) {
      bytes = std::size_t(64) << 30;
    }
#endif
    return region::file(bytes);
  }

 private:
  launcher_info me_;
  std::size_t bytes_;
  std::int64_t deadline_;
  double seconds_;
  sockaddr_un address_{};
  socklen_t address_bytes_ = 0;
};

}  // namespace tutti::detail
