// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include <sys/mman.h>

namespace perf {

/// A number that forked ranks leave for the process which started them.
class outcome {
 public:
  using number = std::atomic<std::uint64_t>;

  outcome() {
    void* page = mmap(nullptr, sizeof(number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::runtime_error(std::string("no shared memory: ") + std::strerror(errno));
    value_ = new (page) number(0);
  }
  ~outcome() { munmap(value_, sizeof(number)); }
  outcome(const outcome&) = delete;
  outcome& operator=(const outcome&) = delete;

  /// Any rank may, and all leave the same.
  void leave(std::uint64_t found) { value_->store(found); }
  std::uint64_t found() const { return value_->load(); }

 private:
  number* value_;
};

}  // namespace perf
