// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/copy.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tutti::detail {

/// Copies straight out of another process, in one go where a shared buffer needs two. Returns 0 or errno: EPERM where
/// the system doesn't let processes look into each other, ESRCH where it has ended.
inline int copy_from_process(pid_t process, std::uint64_t address, void* to, std::size_t bytes) {
  auto* next = static_cast<std::byte*>(to);
  while (bytes != 0) {
    iovec here{next, bytes}, there{reinterpret_cast<void*>(std::uintptr_t(address)), bytes};
    const ssize_t copied = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) return copied < 0 ? errno : EFAULT;
    next += copied;
    address += std::uint64_t(copied);
    bytes -= std::size_t(copied);
  }
  return 0;
}

/// How many times as long the system takes for that as a loop for a copy in this process, of 128 KiB in this core's own
/// caches: about 2 on a Xeon (Sapphire Rapids), 6 on a Zen. Measured once, in a fifth of a millisecond; huge where the
/// system forbids it.
inline double cost_of_copy_from_process() {
  static const double cost = [] {
    constexpr std::size_t bytes = 128 * 1024;
    const std::unique_ptr<std::byte[]> memory(new std::byte[2 * bytes]());
    std::byte *const from = memory.get(), *const to = from + bytes;
    std::int64_t by_system = 1'000'000'000, by_loop = by_system;
    for (int i = 0; i < 7; ++i) {
      auto start = now_ns();
      if (copy_from_process(getpid(), reinterpret_cast<std::uintptr_t>(from), to, bytes) != 0) return 1e9;
      by_system = std::min(by_system, std::int64_t(now_ns() - start));
      start = now_ns();
#if TUTTI_COPIES_BY_LOOP
      copy_by_loop(to, from, bytes);
#else
      copy_bytes(to, from, bytes);
#endif
      by_loop = std::min(by_loop, std::int64_t(now_ns() - start));
    }
    return double(by_system) / double(std::max<std::int64_t>(by_loop, 1));
  }();
  return cost;
}

/// What TUTTI_SINGLE_COPY says: 0 keeps from it, 1 does it wherever it could pay; else it is done where it does.
enum class single_copy { never, where_it_pays, always };
inline single_copy single_copy_wanted() {
  const char* const word = std::getenv("TUTTI_SINGLE_COPY");
  if (word == nullptr || word[0] == 0 || word[1] != 0) return single_copy::where_it_pays;
  return word[0] == '0' ? single_copy::never : word[0] == '1' ? single_copy::always : single_copy::where_it_pays;
}

}  // namespace tutti::detail
