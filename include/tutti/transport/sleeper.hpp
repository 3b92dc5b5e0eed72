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

/// Wakes the threads of a rank that sleep. The caller has published what they wait for.
inline void rouse_rank(const region& where, std::size_t wakes, int world_rank) {
  wake_line& there = wake_line_of(where, wakes, world_rank);
  if (hardware_memory::observe_ordered(there.asleep) == 0) return;
  std::atomic_ref<std::uint32_t>(there.word).fetch_add(1, std::memory_order_acq_rel);
  futex_wake(&there.word);
}

/// One thread's sleep: announce, look once more, doze, look once more, sleep.
/// Who publishes looks for sleepers right after, and its processor may do so before what it published has left it:
/// making it wait for that would cost a third of a small operation. So both sides may miss each other, but only for as
/// long as a store is held back, far less than a doze: what was published by who saw no announcement is there when the
/// doze ends, and everyone who publishes later sees the announcement and wakes.
class sleeper {
 public:
  static constexpr std::int64_t doze_ns = 50000;

  explicit sleeper(wake_line& line) : line_(line) {}
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;
  ~sleeper() { withdraw(); }

  bool announced() const { return announced_; }
  void announce() {
    look_at_word();
    std::atomic_ref<std::uint64_t>(line_.asleep).fetch_add(1, std::memory_order_seq_cst);
    announced_ = true;
    dozed_ = false;
  }
  void withdraw() {
    if (announced_) std::atomic_ref<std::uint64_t>(line_.asleep).fetch_sub(1, std::memory_order_seq_cst);
    announced_ = false;
  }
  /// At most that long; stays announced. The caller looks before it sleeps again.
  void sleep(std::int64_t nanoseconds) {
    futex_sleep(&line_.word, word_, dozed_ || nanoseconds < doze_ns ? nanoseconds : doze_ns);
    dozed_ = true;
    look_at_word();
  }

 private:
  void look_at_word() { word_ = std::atomic_ref<std::uint32_t>(line_.word).load(std::memory_order_acquire); }

  wake_line& line_;
  std::uint32_t word_ = 0;
  bool announced_ = false, dozed_ = false;
};

}  // namespace tutti::detail
