// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/held_mutex.hpp>
#include <tutti/transport/sleep.hpp>

#include <atomic>
#include <cstdint>

#include <pthread.h>

namespace tutti::detail {

/// Two threads of one rank take turns with a communicator: its own, and one that helps. Without a helper it costs a
/// look at a flag.
class turn_taking {
 public:
  /// Runs action() while the other thread keeps away.
  template <class Action>
  auto in_turn(Action&& action) {
    const held_mutex mine(helped_ ? &mutex_ : nullptr);
    return action();
  }

  bool has_helper() const { return helped_; }
  /// Wakes the helper: there is work, or it shall leave.
  void ring() {
    if (!helped_) return;
    rings_.fetch_add(1, std::memory_order_acq_rel);
    futex_wake(reinterpret_cast<std::uint32_t*>(&rings_));
  }
  std::uint32_t rings() const { return rings_.load(std::memory_order_acquire); }
  /// Until it has rung since `heard`, or for so long.
  void await_ring(std::uint32_t heard, std::int64_t nanoseconds) {
    futex_sleep(reinterpret_cast<std::uint32_t*>(&rings_), heard, nanoseconds);
  }

 protected:
  turn_taking() = default;
  turn_taking(const turn_taking&) = delete;
  ~turn_taking() = default;
  void take_turns(bool helped) { helped_ = helped; }

 private:
  bool helped_ = false;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<std::uint32_t> rings_{0};
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
};

}  // namespace tutti::detail
