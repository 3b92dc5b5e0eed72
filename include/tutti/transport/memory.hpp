// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <atomic>
#include <cstdint>

namespace tutti::detail {

/// The memory policy of the protocol on real hardware. A model checker brings its own.
struct hardware_memory {
  using word = std::uint64_t;
  static_assert(std::atomic_ref<word>::is_always_lock_free, "tutti: words between processes must be lock-free");
  static_assert(std::atomic_ref<word>::required_alignment <= 8);

  /// What the writer wrote before publish is seen after observe.
  static word observe(const word& from) {
    return std::atomic_ref<word>(const_cast<word&>(from)).load(std::memory_order_acquire);
  }
  static void publish(word& to, word value) { std::atomic_ref<word>(to).store(value, std::memory_order_release); }
  /// For who publishes and then looks for sleepers, see sleeper.hpp: neither waits for the other's store.
  static word observe_ordered(const word& from) {
    return std::atomic_ref<word>(const_cast<word&>(from)).load(std::memory_order_seq_cst);
  }
  /// The same where time doesn't count: the store has arrived before the look.
  static void publish_ordered(word& to, word value) {
    std::atomic_ref<word>(to).store(value, std::memory_order_seq_cst);
  }
  /// First come wins; true for the winner.
  static bool claim(word& to, word value, word held = 0) {
    return std::atomic_ref<word>(to).compare_exchange_strong(held, value, std::memory_order_acq_rel,
                                                             std::memory_order_acquire);
  }
};

}  // namespace tutti::detail
