// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <sys/types.h>
#include <sys/uio.h>

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

/// TUTTI_SINGLE_COPY=0 keeps from it.
inline bool single_copy_allowed() {
  const char* const word = std::getenv("TUTTI_SINGLE_COPY");
  return word == nullptr || word[0] != '0' || word[1] != 0;
}

}  // namespace tutti::detail
