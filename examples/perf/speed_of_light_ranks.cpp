// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine allows more than two ranks: processes add up a vector of floats each, in private memory, by hand,
// with no library and nothing but the flags that are needed.
//   at once  up to 64 KiB: copy all in, meet, everyone adds up everything
//   staged   through shared memory: copy in, meet, add the own block, meet, copy the others' out; chunk by chunk, of
//            the best length
//   address  the own block of all inputs and all blocks of the result are copied from process to process; 0 where the
//            system forbids that
// Each process has a core of its own, or where there are too few of them gives way while it waits.
// Prints microseconds, the median over the iterations of the slowest process, and the pulse. All is written before, and
// samples are kept, as by tutti_perf; see speed_of_light.cpp.
//   speed_of_light_ranks ranks [first bytes] [last bytes]
#include "by_hand.hpp"
#include "samples.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using by_hand::add, by_hand::now_us, by_hand::shared_memory;

constexpr int most_ranks = 64;
constexpr std::size_t longest_chunk = std::size_t(1) << 20, longest_tile = 64 * 1024, longest_at_once = 64 * 1024;

struct alignas(128) rank_line {
  std::atomic<std::uint64_t> met;
  std::uint64_t process;
  const char *input, *output;
  double time, before, after;
};
struct meeting_place {
  rank_line of[most_ranks];
  alignas(128) std::atomic<bool> wrong, forbidden;
};

class process {
 public:
  process(meeting_place& place, char* stages, int rank, int ranks, std::size_t longest, bool own_core)
      : own_core_(own_core),
        place_(place),
        stages_(stages),
        rank_(rank),
        ranks_(ranks),
        in_(longest / sizeof(float)),
        out_(longest / sizeof(float)),
        tiles_(std::size_t(ranks) * longest_tile / sizeof(float)) {
    rank_line& mine = place_.of[rank_];
    mine.process = std::uint64_t(getpid());
    mine.input = reinterpret_cast<const char*>(in_.data());
    mine.output = reinterpret_cast<const char*>(out_.data());
    meet();
  }

  void meet() {
    place_.of[rank_].met.store(++met_, std::memory_order_release);
    for (int turn = 1; turn < ranks_; ++turn)
      while (place_.of[peer(turn)].met.load(std::memory_order_acquire) < met_) {
        if (place_.wrong.load(std::memory_order_relaxed)) std::exit(1);
        if (!own_core_) sched_yield();
      }
  }

  void at_once(std::size_t count) {
    std::memcpy(stage(rank_, turn_), in_.data(), count * sizeof(float));
    meet();
    add_all([&](int rank) { return rank == rank_ ? in_.data() : stage(rank, turn_); }, out_.data(), count);
    turn_ ^= 1;  // the peers may still read the other
  }

  void staged(std::size_t count, std::size_t chunk) {
    std::size_t half = 0;
    for (std::size_t first = 0; first < count; first += chunk, half ^= 1) {
      const std::size_t block = std::min(chunk, count - first) / std::size_t(ranks_), own = std::size_t(rank_) * block;
      std::memcpy(stage(rank_, half), &in_[first], std::min(chunk, count - first) * sizeof(float));
      meet();
      float* const sum = stage(rank_, 2 + half);
      add_all([&](int rank) { return rank == rank_ ? &in_[first + own] : stage(rank, half) + own; }, sum, block);
      std::memcpy(&out_[first + own], sum, block * sizeof(float));
      meet();
      for (int turn = 1; turn < ranks_; ++turn)
        std::memcpy(&out_[first + std::size_t(peer(turn)) * block], stage(peer(turn), 2 + half), block * sizeof(float));
    }
  }

  void by_address(std::size_t count) {
    const std::size_t block = count / std::size_t(ranks_), own = std::size_t(rank_) * block;
    const std::size_t tile = std::min(longest_tile, (std::size_t(512) << 10) / std::size_t(ranks_)) / sizeof(float);
    meet();
    for (std::size_t done = 0; done < block; done += tile) {
      const std::size_t length = std::min(tile, block - done), first = own + done;
      const auto room = [&](int rank) { return &tiles_[std::size_t(rank) * tile]; };
      for (int turn = 1; turn < ranks_; ++turn)
        fetch(peer(turn), place_.of[peer(turn)].input, first, room(peer(turn)), length);
      add_all([&](int rank) { return rank == rank_ ? &in_[first] : room(rank); }, &out_[first], length);
    }
    meet();
    for (int turn = 1; turn < ranks_; ++turn) {
      const std::size_t first = std::size_t(peer(turn)) * block;
      fetch(peer(turn), place_.of[peer(turn)].output, first, &out_[first], block);
    }
    meet();
  }

  /// Of the last median.
  double usual_pulse() const { return usual_pulse_; }

  /// All put in the same, small whole numbers: sums are exact.
  template <class Call>
  double median(std::size_t count, int iterations, Call call) {
    perf::samples times;
    for (int turn = -2; turn < iterations; ++turn) {
      const auto value = [&](std::size_t i) { return float((i + std::size_t(turn + 2)) % 8); };
      std::memset(out_.data(), 0xa5, count * sizeof(float));
      for (std::size_t i = 0; i < count; ++i) in_[i] = value(i);
      rank_line& mine = place_.of[rank_];
      mine.before = pulse();
      meet();
      const double start = now_us();
      call();
      mine.time = now_us() - start;
      mine.after = pulse();
      for (std::size_t i = 0; i < count; ++i)
        if (out_[i] != float(ranks_) * value(i) && !place_.forbidden) {
          std::fprintf(stderr, "speed_of_light_ranks: element %zu of %zu is wrong\n", i, count);
          place_.wrong = true;
          std::exit(1);
        }
      meet();
      double slowest = 0, before = 0, after = 0;
      for (int rank = 0; rank < ranks_; ++rank) {
        slowest = std::max(slowest, place_.of[rank].time);
        before = std::max(before, place_.of[rank].before);
        after = std::max(after, place_.of[rank].after);
      }
      if (turn >= 0) times.add(slowest, before, after);
      meet();
    }
    usual_pulse_ = perf::usual_pulse(times, perf::samples());
    return times.within(usual_pulse_).median;
  }

 private:
  int peer(int turn) const { return (rank_ + turn) % ranks_; }
  /// Says nothing where processes share cores; they meet all the same.
  double pulse() {
    const double measured = by_hand::pulse([this] { meet(); });
    return own_core_ ? measured : 0;
  }
  float* stage(int rank, std::size_t part) const {
    return reinterpret_cast<float*>(stages_ + (std::size_t(rank) * 4 + part) * longest_chunk);
  }
  /// In short tiles, rank by rank: the order that all algorithms of the house keep.
  template <class From>
  void add_all(From from, float* out, std::size_t count) const {
    constexpr std::size_t tile = 256;
    for (std::size_t done = 0; done < count; done += tile) {
      const std::size_t length = std::min(tile, count - done);
      add(from(0) + done, from(1) + done, out + done, length);
      for (int rank = 2; rank < ranks_; ++rank) add(out + done, from(rank) + done, out + done, length);
    }
  }
  void fetch(int rank, const char* from, std::size_t first, float* to, std::size_t count) {
    iovec here{to, count * sizeof(float)};
    iovec there{const_cast<char*>(from) + first * sizeof(float), count * sizeof(float)};
    if (process_vm_readv(pid_t(place_.of[rank].process), &here, 1, &there, 1, 0) != ssize_t(here.iov_len))
      place_.forbidden = true;
  }

  bool own_core_;
  meeting_place& place_;
  char* stages_;
  int rank_, ranks_;
  std::size_t turn_ = 0;
  std::vector<float> in_, out_, tiles_;
  std::uint64_t met_ = 0;
  double usual_pulse_ = 0;
};

void be_rank(meeting_place& place, char* stages, int rank, int ranks, std::size_t first, std::size_t last) {
  cpu_set_t own;
  const bool own_core = sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) >= ranks;
  if (own_core) {
    CPU_ZERO(&own);
    CPU_SET(std::size_t(rank), &own);
    sched_setaffinity(0, sizeof own, &own);
  }
  process self(place, stages, rank, ranks, last, own_core);
  if (rank == 0)
    std::printf("%12s %12s %12s %12s %12s\n", "bytes", "at once (us)", "staged (us)", "address (us)", "pulse (ns)");
  for (std::size_t bytes = first; bytes <= last; bytes *= 4) {
    const std::size_t count = bytes / sizeof(float);
    const int iterations = int(std::clamp<std::size_t>((std::size_t(128) << 20) / bytes, 11, 500));
    double at_once = 0, staged = 1e300;
    if (bytes <= longest_at_once) at_once = self.median(count, iterations, [&] { self.at_once(count); });
    for (std::size_t chunk = longest_chunk / 4; chunk <= longest_chunk; chunk *= 2)
      if (chunk == longest_chunk / 4 || chunk <= bytes)
        staged = std::min(staged, self.median(count, iterations, [&] { self.staged(count, chunk / sizeof(float)); }));
    double address = self.median(count, iterations, [&] { self.by_address(count); });
    if (place.forbidden) address = 0;
    if (rank == 0)
      std::printf("%12zu %12.2f %12.2f %12.2f %12.0f\n", bytes, at_once, staged, address, self.usual_pulse());
    std::fflush(stdout);
    self.meet();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 0;
  const auto bytes = [&](int at, std::size_t otherwise) {
    return argc > at ? std::size_t(std::strtoull(argv[at], nullptr, 10)) : otherwise;
  };
  const std::size_t first = bytes(2, std::size_t(64) << 10), last = bytes(3, std::size_t(64) << 20);
  if (ranks < 2 || ranks > most_ranks || first == 0 || first % (sizeof(float) * std::size_t(ranks)) != 0) {
    std::fprintf(stderr,
                 "speed_of_light_ranks ranks [first bytes] [last bytes]: 2 to %d ranks, whole floats for each\n",
                 most_ranks);
    return 2;
  }
  auto* const place = static_cast<meeting_place*>(shared_memory(sizeof(meeting_place)));
  auto* const stages = static_cast<char*>(shared_memory(std::size_t(ranks) * 4 * longest_chunk));
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child < 0) {
      std::perror("speed_of_light_ranks: fork");
      place->wrong = true;
      return 1;
    }
    if (child == 0) {
      be_rank(*place, stages, rank, ranks, first, last);
      std::exit(0);
    }
  }
  bool good = true;
  for (int status = 0; wait(&status) > 0;)
    if (status != 0) good = !(place->wrong = true);
  return good ? 0 : 1;
}
