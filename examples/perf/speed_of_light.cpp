// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine allows: two processes that share memory add up a vector of floats each, by hand, with no library and
// nothing but the flags that are needed. tutti_perf's rows are held against this.
//   copy    private vectors, through a shared buffer of two chunks: all_reduce on any memory
//   direct  vectors that lie in shared memory themselves, in place: each process adds up one half for both
//   swap    private vectors: half stays and half comes from the other process, as in all_to_all and all_gather
//   spread  private vectors: the second process gets the first one's, as in broadcast
// Prints microseconds, the median over the iterations of the slower process: the best chunk at that size or, for swap
// and spread, what the system copies from process to process, if that is faster. Before each iteration all is written
// as tutti_perf writes it, and samples are kept by the same rule: 4 MiB in place take 125 us after inputs alone were
// written, and 230 after results were poisoned before. Last the pulse in nanoseconds, see meeting.hpp: figures of
// another one are of another machine.
//   speed_of_light [first bytes] [last bytes]
#include "by_hand.hpp"
#include "samples.hpp"

#include <algorithm>
#include <array>
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

constexpr std::size_t largest_chunk = 256 * 1024;

struct alignas(128) line {
  std::atomic<std::uint64_t> flag;
  float payload[12];
};
struct shared {
  line meeting[2], said[2], finished[2];
  alignas(128) std::atomic<bool> wrong;
  struct {
    pid_t process;
    const float* vector;
    bool reached;
  } at[2];
  alignas(4096) float chunks[2][2][largest_chunk / sizeof(float)];
  struct sample {
    double time, before, after;
  };
  alignas(128) sample samples[2][4096];
};

class process {
 public:
  process(shared& memory, int rank, float* ours, float* theirs)
      : memory_(memory), rank_(rank), mine_(ours), theirs_(theirs) {}

  void meet() {
    memory_.meeting[rank_].flag.store(++met_, std::memory_order_release);
    await(memory_.meeting[1 - rank_].flag, met_);
  }

  void by_copies(const float* in, float* out, std::size_t count, std::size_t chunk) {
    if (count <= std::size(memory_.said[0].payload)) {  // in the line of the flag; two lines, by turns
      line& own = said_ % 2 == 0 ? memory_.said[rank_] : memory_.finished[rank_];
      line& other = said_ % 2 == 0 ? memory_.said[1 - rank_] : memory_.finished[1 - rank_];
      std::memcpy(own.payload, in, count * sizeof(float));
      own.flag.store(++said_, std::memory_order_release);
      await(other.flag, said_);
      for (std::size_t i = 0; i < count; ++i) out[i] = in[i] + other.payload[i];
      return;
    }
    for (std::size_t first = 0; first < count; first += chunk) {
      const std::size_t length = std::min(chunk, count - first), half = said_ % 2;
      std::memcpy(memory_.chunks[rank_][half], in + first, length * sizeof(float));
      memory_.said[rank_].flag.store(++said_, std::memory_order_release);
      await(memory_.said[1 - rank_].flag, said_);
      add(in + first, memory_.chunks[1 - rank_][half], out + first, length);
    }
    memory_.finished[rank_].flag.store(said_, std::memory_order_relaxed);
  }

  void in_place(std::size_t count) {
    memory_.said[rank_].flag.store(++said_, std::memory_order_release);
    await(memory_.said[1 - rank_].flag, said_);
    const std::size_t half = count / 2, first = rank_ == 0 ? 0 : half, end = rank_ == 0 ? half : count;
    constexpr std::size_t tile = 2048;
    for (std::size_t at = first; at < end; at += tile) {
      const std::size_t length = std::min(tile, end - at);
      add(mine_ + at, theirs_ + at, mine_ + at, length);
      std::memcpy(theirs_ + at, mine_ + at, length * sizeof(float));
    }
    memory_.finished[rank_].flag.store(said_, std::memory_order_release);
    await(memory_.finished[1 - rank_].flag, said_);
  }

  /// Shows its vector to the other process; false unless both can copy from each other.
  bool show(const float* vector) {
    memory_.at[rank_] = {getpid(), vector, false};
    meet();
    float one = 0;
    memory_.at[rank_].reached = copied(&one, 0, 1);
    meet();
    return memory_.at[0].reached && memory_.at[1].reached;
  }
  /// chunk 0: from process to process.
  void swap(const float* in, float* out, std::size_t count, std::size_t chunk) {
    const std::size_t half = count / 2, kept = rank_ == 0 ? 0 : half, got = half - kept;
    if (chunk == 0) {
      memory_.said[rank_].flag.store(++said_, std::memory_order_release);
      await(memory_.said[1 - rank_].flag, said_);
      fetch(out + got, got, half);
      std::memcpy(out + kept, in + kept, half * sizeof(float));
      memory_.finished[rank_].flag.store(said_, std::memory_order_release);
      await(memory_.finished[1 - rank_].flag, said_);
      return;
    }
    for (std::size_t first = 0; first < half; first += chunk) {
      const std::size_t length = std::min(chunk, half - first), turn = said_ % 2;
      std::memcpy(memory_.chunks[rank_][turn], in + kept + first, length * sizeof(float));
      memory_.said[rank_].flag.store(++said_, std::memory_order_release);
      std::memcpy(out + kept + first, in + kept + first, length * sizeof(float));
      await(memory_.said[1 - rank_].flag, said_);
      std::memcpy(out + got + first, memory_.chunks[1 - rank_][turn], length * sizeof(float));
    }
    memory_.finished[rank_].flag.store(said_, std::memory_order_relaxed);
  }
  void spread(const float* in, float* out, std::size_t count, std::size_t chunk) {
    const std::size_t step = chunk == 0 ? count : chunk;
    for (std::size_t first = 0; first < count; first += step) {
      const std::size_t length = std::min(step, count - first), turn = said_ % 2;
      ++said_;
      if (rank_ == 0) {
        if (said_ > 2) await(memory_.finished[1].flag, said_ - 2);
        if (chunk != 0) std::memcpy(memory_.chunks[0][turn], in + first, length * sizeof(float));
        memory_.said[0].flag.store(said_, std::memory_order_release);
      } else {
        await(memory_.said[0].flag, said_);
        if (chunk == 0) {
          fetch(out, 0, count);
        } else {
          std::memcpy(out + first, memory_.chunks[0][turn], length * sizeof(float));
        }
        memory_.finished[1].flag.store(said_, std::memory_order_release);
      }
    }
    if (rank_ == 0 && chunk == 0) await(memory_.finished[1].flag, said_);
  }

  /// Of the last median.
  double usual_pulse() const { return usual_pulse_; }

  /// Both put in the same, so that each result is `times` the input.
  template <class Call>
  double median(float* input, float* result, std::size_t count, int iterations, float times, Call call) {
    for (int turn = -iterations / 10 - 1; turn < iterations; ++turn) {
      const auto value = [&](std::size_t i) { return float((i + std::size_t(turn + iterations)) % 8); };
      std::memset(result, 0xa5, count * sizeof(float));
      for (std::size_t i = 0; i < count; ++i) input[i] = value(i);
      const double before = by_hand::pulse([this] { meet(); });
      meet();
      const double start = now_us();
      call();
      const double time = now_us() - start;
      const double after = by_hand::pulse([this] { meet(); });
      if (turn >= 0) memory_.samples[rank_][turn] = {time, before, after};
      for (std::size_t i = 0; i < count; ++i)
        if (result[i] != times * value(i)) {
          std::fprintf(stderr, "speed_of_light: element %zu of %zu is wrong\n", i, count);
          memory_.wrong.store(true);
          std::exit(1);
        }
    }
    meet();
    perf::samples slower;
    for (int turn = 0; turn < iterations; ++turn) {
      const auto &one = memory_.samples[0][turn], &other = memory_.samples[1][turn];
      slower.add(std::max(one.time, other.time), std::max(one.before, other.before), std::max(one.after, other.after));
    }
    meet();
    usual_pulse_ = perf::usual_pulse(slower, perf::samples());
    return slower.within(usual_pulse_).median;
  }

 private:
  void await(const std::atomic<std::uint64_t>& flag, std::uint64_t goal) const {
    while (flag.load(std::memory_order_acquire) < goal)
      if (memory_.wrong.load(std::memory_order_relaxed)) std::exit(1);
  }

  bool copied(float* to, std::size_t first, std::size_t count) const {
    const auto& there = memory_.at[1 - rank_];
    for (std::size_t done = 0, bytes = count * sizeof(float); done < bytes;) {
      iovec local{reinterpret_cast<char*>(to) + done, bytes - done};
      iovec remote{reinterpret_cast<char*>(const_cast<float*>(there.vector) + first) + done, bytes - done};
      const ssize_t part = process_vm_readv(there.process, &local, 1, &remote, 1, 0);
      if (part <= 0) return false;
      done += std::size_t(part);
    }
    return true;
  }
  void fetch(float* to, std::size_t first, std::size_t count) const {
    if (copied(to, first, count)) return;
    std::perror("speed_of_light: process_vm_readv");
    memory_.wrong.store(true);
    std::exit(1);
  }

  shared& memory_;
  int rank_;
  float *mine_, *theirs_;
  std::uint64_t met_ = 0, said_ = 0;
  double usual_pulse_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, std::size_t otherwise) {
    return argc > at ? std::size_t(std::strtoull(argv[at], nullptr, 10)) : otherwise;
  };
  const std::size_t first = std::max<std::size_t>(number(1, 4), 4), last = number(2, std::size_t(64) << 20);
  auto* const memory = static_cast<shared*>(shared_memory(sizeof(shared)));
  float* const vectors[2] = {static_cast<float*>(shared_memory(last + 64)),
                             static_cast<float*>(shared_memory(last + 64))};
  const pid_t child = fork();
  if (child < 0) {
    std::perror("speed_of_light: fork");
    return 1;
  }
  const int rank = child == 0 ? 1 : 0;
  cpu_set_t usable, own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) >= 2) {
    int cpu = -1;
    for (int skipped = 0; skipped <= rank; ++skipped) do
        ++cpu;
      while (!CPU_ISSET(cpu, &usable));
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof own, &own);
  } else if (rank == 0) {
    std::fprintf(stderr, "speed_of_light: two processors are needed\n");
  }
  process self(*memory, rank, vectors[rank], vectors[1 - rank]);
  std::vector<float> in(last / sizeof(float)), out(last / sizeof(float));
  const bool by_system = self.show(in.data());
  if (rank == 0)
    std::printf("%12s %12s %12s %12s %12s %12s\n", "bytes", "copy (us)", "direct (us)", "swap (us)", "spread (us)",
                "pulse (ns)");
  for (std::size_t bytes = first; bytes <= last; bytes *= 2) {
    const std::size_t count = bytes / sizeof(float);
    const int iterations = int(std::clamp<std::size_t>((std::size_t(256) << 20) / bytes, 11, 2000));
    double copy = 1e300, swap = 1e300, spread = 1e300;
    const auto try_chunk = [&](std::size_t chunk) {  // in elements; 0: the system copies
      if (chunk != 0)
        copy = std::min(copy, self.median(in.data(), out.data(), count, iterations, 2,
                                          [&] { self.by_copies(in.data(), out.data(), count, chunk); }));
      if (count % 2 == 0)
        swap = std::min(swap, self.median(in.data(), out.data(), count, iterations, 1,
                                          [&] { self.swap(in.data(), out.data(), count, chunk); }));
      spread = std::min(spread, self.median(in.data(), rank == 0 ? in.data() : out.data(), count, iterations, 1,
                                            [&] { self.spread(in.data(), out.data(), count, chunk); }));
    };
    for (std::size_t chunk = largest_chunk / 8; chunk <= largest_chunk; chunk *= 2)
      if (chunk <= std::max<std::size_t>(bytes, 32 * 1024)) try_chunk(chunk / sizeof(float));
    if (by_system) try_chunk(0);
    const double direct =
        self.median(vectors[rank], vectors[rank], count, iterations, 2, [&] { self.in_place(count); });
    if (rank == 0)
      std::printf("%12zu %12.2f %12.2f %12.2f %12.2f %12.0f\n", bytes, copy, direct, count % 2 == 0 ? swap : 0, spread,
                  self.usual_pulse());
    std::fflush(stdout);
  }
  if (rank == 1) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
