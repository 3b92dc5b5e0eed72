// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <new>

namespace tutti::detail {

/// Memory that grows and stays: the first call of a shape pays for it, the others don't (page faults are
/// what makes large reductions slow). One holder, one user at a time.
class scratch {
 public:
  scratch() = default;
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { ::operator delete(data_, alignment); }

  void* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      ::operator delete(data_, alignment);
      data_ = nullptr;
      bytes_ = 0;
      data_ = ::operator new(bytes, alignment);
      bytes_ = bytes;
    }
    return data_;
  }

 private:
  static constexpr std::align_val_t alignment{128};
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tutti::detail
