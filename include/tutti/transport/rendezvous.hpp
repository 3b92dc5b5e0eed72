// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/launcher.hpp>
#include <tutti/transport/descriptor_passing.hpp>
#include <tutti/transport/process_watch.hpp>
#include <tutti/transport/region.hpp>
#include <tutti/transport/shared_world.hpp>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
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
/// can compute and that vanishes with rank 0. Rank 0 listens. Each other rank says who it is, gets the
/// region, signs in there and says so; when all have, rank 0 lets them go. Where rank 0 gives up it tells
/// everyone why; it does so at the first deadline of all who came, and they wait a moment longer for its word, so that
/// no clock of theirs cuts it off.
class rendezvous {
 public:
  rendezvous(launcher_info me, std::size_t bytes, double seconds)
      : me_(me), bytes_(bytes), deadline_(now_ns() + std::int64_t(seconds * 1e9)), seconds_(seconds) {
    static std::atomic<unsigned> worlds{0};  // the n-th world of every rank is the same world
    address_bytes_ = meeting_point(address_, worlds.fetch_add(1));
  }
  /// The same where the ranks have agreed on a key.
  rendezvous(launcher_info me, std::size_t bytes, double seconds, const char* key)
      : me_(me), bytes_(bytes), deadline_(now_ns() + std::int64_t(seconds * 1e9)), seconds_(seconds) {
    address_bytes_ = meeting_point(address_, 0, key);
  }

  /// Where the processes of this job meet for their n-th world.
  static socklen_t meeting_point(sockaddr_un& address, unsigned world) {
    char key[256];
    job_key(key, sizeof key);
    return meeting_point(address, world, key);
  }
  static socklen_t meeting_point(sockaddr_un& address, unsigned world, const char* key) {
    char name[320];
    std::snprintf(name, sizeof name, "%u|%s|%u", unsigned(getuid()), key, world);
    address.sun_family = AF_UNIX;
    const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "tutti-%016llx",
                                     static_cast<unsigned long long>(mix(literal(name).hash(), 1)));
    return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + std::size_t(length));
  }

  region meet() { return me_.rank == 0 ? host() : join(); }

 private:
  struct hello {
    std::uint64_t magic;
    std::uint32_t version;
    std::int32_t rank, size;
    std::int32_t milliseconds_left;
  };
  struct answer {
    std::uint64_t nonce, bytes;
    std::int32_t code, about;
    char refusal[232];  // empty: welcome
  };

  int milliseconds_left() const {
    const std::int64_t left = (deadline_ - now_ns()) / 1000000;
    return left < 0 ? 0 : int(left < 1000000000 ? left : 1000000000);
  }

  // ---- rank 0 -------------------------------------------------------------------------------------------

  region host() {
    region made = make_region(bytes_);
    answer welcome{};
    welcome.bytes = bytes_;
    if (getrandom(&welcome.nonce, sizeof welcome.nonce, 0) != ssize_t(sizeof welcome.nonce))
      welcome.nonce = std::uint64_t(now_ns());
    const shared_world world(made, me_.size);
    world.create(welcome.nonce);
    sign_in(world, 0);
    if (me_.size == 1) return made;

    door_.reset(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (door_.get() < 0 || bind(door_.get(), reinterpret_cast<const sockaddr*>(&address_), address_bytes_) != 0 ||
        listen(door_.get(), me_.size) != 0)
      fail(errc::launcher, 0, "shm::world on rank 0 of %d: can't open the meeting point of this job: %s%s", me_.size,
           std::strerror(errno), errno == EADDRINUSE ? " (two jobs look alike: give each its own TUTTI_JOB)" : "");

    guests_.resize(std::size_t(me_.size));
    for (int missing = me_.size - 1; missing > 0;) missing -= wait_at_door(welcome, made.file_descriptor());
    for (int step = 0; step < 2; ++step)  // all are attached; all know it
      for (int rank = 1; rank < me_.size; ++rank) {
        char attached = 0;
        unique_fd none;
        const int there = guests_[std::size_t(rank)].get();
        if (step == 0 ? !receive_with_descriptor(there, &attached, 1, none)
                      : !send_with_descriptor(there, &welcome, sizeof welcome, -1))
          refuse(errc::peer_failed, rank, "rank %d of %d went away while the world was made", rank, me_.size);
      }
    return made;
  }

  /// Lets in whoever comes next. Whoever connects and says nothing, or nonsense, keeps nobody waiting.
  int wait_at_door(const answer& welcome, int file) {
    std::vector<pollfd> waiting{{door_.get(), POLLIN, 0}};
    for (const unique_fd& one : strangers_) waiting.push_back({one.get(), POLLIN, 0});
    const int left = milliseconds_left();
    if (left == 0) refuse_for_missing();
    if (poll(waiting.data(), nfds_t(waiting.size()), left) <= 0) return 0;
    int admitted = 0;
    for (std::size_t i = strangers_.size(); i-- > 0;) {
      if (waiting[i + 1].revents == 0) continue;
      unique_fd guest(static_cast<unique_fd&&>(strangers_[i]));
      strangers_.erase(strangers_.begin() + std::ptrdiff_t(i));
      admitted += admit(guest, welcome, file);
    }
    if (waiting[0].revents != 0) open_door();
    return admitted;
  }

  /// False where nobody stands before it.
  bool open_door() {
    unique_fd guest(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (guest.get() < 0) return false;
    if (peer_user(guest.get()) == long(getuid())) {
      limit(guest.get());
      strangers_.push_back(static_cast<unique_fd&&>(guest));
    }
    return true;
  }

  int admit(unique_fd& guest, const answer& welcome, int file) {
    hello from{};
    unique_fd none;
    if (!receive_with_descriptor(guest.get(), &from, sizeof from, none) || from.magic != shared_world::magic) return 0;
    const bool fits =
        from.version == shared_world::version && from.size == me_.size && from.rank > 0 && from.rank < me_.size;
    if (!fits || guests_[std::size_t(from.rank)].get() >= 0) {
      strangers_.push_back(static_cast<unique_fd&&>(guest));  // it shall hear why
      if (fits) refuse(errc::launcher, 0, "two processes say they are rank %d of %d", from.rank, me_.size);
      if (from.version != shared_world::version)
        refuse(errc::launcher, 0, "tutti's version is %u here and %u on rank %d", shared_world::version, from.version,
               from.rank);
      refuse(errc::launcher, 0, "size is %d here and %d on rank %d", me_.size, from.size, from.rank);
    }
    if (!send_with_descriptor(guest.get(), &welcome, sizeof welcome, file)) return 0;
    const std::int64_t first = now_ns() + std::int64_t(from.milliseconds_left) * 1000000;
    if (first < deadline_) {
      seconds_ -= double(deadline_ - first) * 1e-9;
      deadline_ = first;
    }
    guests_[std::size_t(from.rank)] = static_cast<unique_fd&&>(guest);
    return 1;
  }

  /// Throws here, and on everyone who has come.
  [[noreturn]] TUTTI_PRINTF(4, 5) void refuse(errc code, int about, const char* format, ...) {
    answer no{};
    no.code = std::int32_t(code);
    no.about = about;
    std::va_list list;
    va_start(list, format);
    std::vsnprintf(no.refusal, sizeof no.refusal, format, list);
    va_end(list);
    while (open_door()) {
    }
    for (const auto* group : {&guests_, &strangers_})
      for (const unique_fd& one : *group)
        if (one.get() >= 0) send_with_descriptor(one.get(), &no, sizeof no, -1);
    fail(code, about, "shm::world on rank 0: %s", no.refusal);
  }
  [[noreturn]] void refuse_for_missing() {
    char missing[128] = "";
    std::size_t used = 0;
    for (int rank = 1; rank < me_.size && used < sizeof missing - 16; ++rank)
      if (guests_[std::size_t(rank)].get() < 0)
        used += std::size_t(std::snprintf(missing + used, sizeof missing - used, "%s%d", used == 0 ? "" : ", ", rank));
    refuse(errc::timeout, 0, "didn't come within %.1f s: rank %s of %d (%s)", seconds_, missing, me_.size, me_.source);
  }

  // ---- the others ---------------------------------------------------------------------------------------

  region join() {
    unique_fd line;
    for (;;) {
      line.reset(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
      if (line.get() < 0)
        fail(errc::resource, me_.rank, "shm::world on rank %d: no socket: %s", me_.rank, std::strerror(errno));
      if (connect(line.get(), reinterpret_cast<const sockaddr*>(&address_), address_bytes_) == 0) break;
      if (milliseconds_left() == 0)
        fail(errc::timeout, 0, "shm::world on rank %d of %d: rank 0 didn't come within %.1f s (%s)", me_.rank, me_.size,
             seconds_, me_.source);
      poll(nullptr, 0, 2);
    }
    if (peer_user(line.get()) != long(getuid()))
      fail(errc::launcher, me_.rank, "shm::world on rank %d: the meeting point belongs to user %ld, not to %ld",
           me_.rank, peer_user(line.get()), long(getuid()));
    limit(line.get(), patience);
    const hello mine{shared_world::magic, shared_world::version, me_.rank, me_.size, milliseconds_left()};
    send_with_descriptor(line.get(), &mine, sizeof mine, -1);  // whether rank 0 is still there, its answer tells
    unique_fd file;
    const answer welcome = listen_to_host(line, file);
    if (file.get() < 0) throw_host_gone();
    const auto expect = [this](bool ours) {
      if (!ours)
        fail(errc::launcher, me_.rank, "shm::world on rank %d: what rank 0 sent isn't this job's region", me_.rank);
    };
    expect(welcome.bytes >= shared_world::bytes(me_.size) && region::holds(file.get(), welcome.bytes));
    region shared = region::adopt(file.release(), welcome.bytes);
    const shared_world world(shared, me_.size);
    expect(world.made_for(welcome.nonce));
    sign_in(world, me_.rank);
    const char attached = 1;
    send_with_descriptor(line.get(), &attached, 1, -1);
    listen_to_host(line, file);
    return shared;
  }

  answer listen_to_host(const unique_fd& line, unique_fd& file) const {
    answer got{};
    const auto receive = [&] { return receive_with_descriptor(line.get(), &got, sizeof got, file); };
    // Rank 0's last word lies behind the reset that its end causes.
    if (!receive() && !((errno == ECONNRESET || errno == EPIPE) && receive())) throw_host_gone();
    got.refusal[sizeof got.refusal - 1] = 0;
    if (got.refusal[0] != 0)
      fail(errc(got.code), got.about, "shm::world on rank %d of %d: rank 0 gave up: %s", me_.rank, me_.size,
           got.refusal);
    return got;
  }
  [[noreturn]] void throw_host_gone() const {
    fail(errc::peer_failed, 0, "shm::world on rank %d of %d: rank 0 went away or ran out of time (%.1f s)", me_.rank,
         me_.size, seconds_);
  }
  static constexpr int patience = 1000;  // ms between rank 0's deadline and the arrival of its reason

  void limit(int socket, int more = 0) const {
    const int milliseconds = milliseconds_left() + more + 1;
    timeval left{};
    left.tv_sec = milliseconds / 1000;
    left.tv_usec = milliseconds % 1000 * 1000;
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
  unique_fd door_;
  std::vector<unique_fd> guests_;     // by rank
  std::vector<unique_fd> strangers_;  // connected, silent so far
};

}  // namespace tutti::detail
