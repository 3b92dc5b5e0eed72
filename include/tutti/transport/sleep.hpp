// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::detail {

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Sleeps while the word holds seen, for at most that long. Never the private flag: the sleeper and the one
/// that wakes it may be different processes (std::atomic::wait gets that wrong).
inline void futex_sleep(std::uint32_t* word, std::uint32_t seen, std::int64_t nanoseconds) {
  timespec limit{};
  limit.tv_sec = time_t(nanoseconds / 1000000000);
  limit.tv_nsec = long(nanoseconds % 1000000000);
  syscall(SYS_futex, word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

inline void futex_wake(std::uint32_t* word) { syscall(SYS_futex, word, FUTEX_WAKE, 1 << 20, nullptr, nullptr, 0); }

}  // namespace tutti::detail
