// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/transport/cuda_api.hpp>

#include <cstddef>
#include <utility>

#include <nccl.h>

#if NCCL_VERSION_CODE < NCCL_VERSION(2, 19, 0)
#  error "tutti: NCCL 2.19 or newer is needed"
#endif

namespace tutti::detail {

inline void expect_nccl(ncclResult_t result, int rank, const char* call) {
  if (result == ncclSuccess) return;
  const char* more = ncclGetLastError(nullptr);
  fail(errc::library, rank, "%s on rank %d: NCCL says %s%s%s", call, rank, ncclGetErrorString(result),
       more != nullptr && *more != 0 ? ": " : "", more != nullptr ? more : "");
}

/// A communicator of NCCL. What has not been ended in good order is aborted.
class nccl_handle {
 public:
  nccl_handle() = default;
  explicit nccl_handle(ncclComm_t own) : own_(own) {}
  nccl_handle(nccl_handle&& other) noexcept : own_(std::exchange(other.own_, nullptr)) {}
  nccl_handle& operator=(nccl_handle&& other) noexcept {
    std::swap(own_, other.own_);
    return *this;
  }
  ~nccl_handle() { abort(); }

  ncclComm_t get() const { return own_; }
  void abort() {
    if (ncclComm_t one = std::exchange(own_, nullptr)) ncclCommAbort(one);
  }
  void destroy() {
    if (ncclComm_t one = std::exchange(own_, nullptr)) ncclCommDestroy(one);
  }

 private:
  ncclComm_t own_ = nullptr;
};

/// What is called between begin and end happens together.
class nccl_group {
 public:
  explicit nccl_group(int rank) : rank_(rank) { expect_nccl(ncclGroupStart(), rank, "ncclGroupStart"); }
  nccl_group(const nccl_group&) = delete;
  nccl_group& operator=(const nccl_group&) = delete;
  ~nccl_group() {
    if (open_) ncclGroupEnd();
  }
  void end() {
    open_ = false;
    expect_nccl(ncclGroupEnd(), rank_, "ncclGroupEnd");
  }

 private:
  int rank_;
  bool open_ = true;
};

}  // namespace tutti::detail
