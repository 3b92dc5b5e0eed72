// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/layout.hpp>
#include <tutti/transport/memory.hpp>
#include <tutti/transport/region.hpp>
#include <tutti/transport/sleep.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::detail {

inline wake_line& wake_line_of(const region& where, std::size_t wakes, int world_rank) {
  return *reinterpret_cast<wake_line*>(where.base() + wakes + std::size_t(world_rank) * sizeof(wake_line));
}

/// Wakes the threads of a rank that sleep. The caller has published in order what they wait for.
inline void rouse_rank(const region& where, std::size_t wakes, int world_rank) {
  wake_line& there = wake_line_of(where, wakes, world_rank);
  if (hardware_memory::observe_ordered(there.asleep) == 0) return;
  std::atomic_ref<std::uint32_t>(there.word).fetch_add(1, std::memory_order_acq_rel);
  futex_wake(&there.word);
}

/// One thread's sleep: announce, look once more, sleep. From the announcement on, whoever publishes wakes it.
class sleeper {
 public:
  explicit sleeper(wake_line& line) : line_(line) {}
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;
  ~sleeper() { withdraw(); }

  bool announced() const { return announced_; }
  void announce() {
    word_ = std::atomic_ref<std::uint32_t>(line_.word).load(std::memory_order_acquire);
    std::atomic_ref<std::uint64_t>(line_.asleep).fetch_add(1, std::memory_order_seq_cst);
    announced_ = true;
  }
  void withdraw() {
    if (announced_) std::atomic_ref<std::uint64_t>(line_.asleep).fetch_sub(1, std::memory_order_seq_cst);
    announced_ = false;
  }
  void sleep(std::int64_t nanoseconds) {
    futex_sleep(&line_.word, word_, nanoseconds);
    withdraw();
  }

 private:
  wake_line& line_;
  std::uint32_t word_ = 0;
  bool announced_ = false;
};

}  // namespace tutti::detail
