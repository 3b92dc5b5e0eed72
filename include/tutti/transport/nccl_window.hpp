// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/transport/nccl_api.hpp>
#include <tutti/transport/nccl_rank.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti::nccl {

/// n elements on the device, zero at first, registered with NCCL (where there is one) as one window on all ranks.
/// Destroyed before its communicator.
template <class Element>
class window_buffer {
  static_assert(std::is_trivially_copyable_v<Element>,
                "tutti: a buffer of a communicator holds trivially copyable types only");

 public:
  window_buffer(tutti::detail::nccl_rank& owner, std::size_t count) : owner_(&owner), count_(count) {
    using tutti::detail::expect_nccl;
    const int rank = owner.rank();
    owner.expect_usable("allocate");
    const tutti::detail::device_guard here(owner.device(), rank);
    for (const std::size_t theirs : owner.host().exchange_values(count))
      if (theirs != count)
        tutti::detail::fail(errc::mismatch, rank, "allocate on rank %d: count is %zu here, but %zu on another rank",
                            rank, count, theirs);
    const std::size_t bytes = count * sizeof(Element) == 0 ? 1 : count * sizeof(Element);
    void* data = nullptr;
    of_nccl_ = owner.nccl() != nullptr;
    if (of_nccl_)
      expect_nccl(ncclMemAlloc(&data, bytes), rank, "ncclMemAlloc");
    else
      tutti::detail::expect_cuda(cudaMalloc(&data, bytes), rank, "cudaMalloc");
    data_ = static_cast<Element*>(data);
    tutti::detail::expect_cuda(cudaMemset(data, 0, bytes), rank, "cudaMemset");
    if (of_nccl_) make_known(bytes);
    tutti::detail::expect_cuda(cudaDeviceSynchronize(), rank, "cudaDeviceSynchronize");
  }
  window_buffer(window_buffer&& other) noexcept
      : owner_(other.owner_),
        data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)),
        of_nccl_(other.of_nccl_),
        window_(std::exchange(other.window_, nullptr)) {}
  window_buffer& operator=(window_buffer&&) = delete;
  ~window_buffer() {
    if (data_ == nullptr) return;
    if (window_ != nullptr && owner_->nccl() != nullptr) {
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
      ncclCommWindowDeregister(owner_->nccl(), window_);
#else
      ncclCommDeregister(owner_->nccl(), window_);
#endif
    }
    of_nccl_ ? void(ncclMemFree(data_)) : void(cudaFree(data_));
  }

  Element* data() const { return data_; }
  std::size_t size() const { return count_; }

 private:
  void make_known(std::size_t bytes) {
    using tutti::detail::expect_nccl;
    const int rank = owner_->rank();
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
    expect_nccl(ncclCommWindowRegister(owner_->nccl(), data_, bytes, &window_, NCCL_WIN_COLL_SYMMETRIC), rank,
                "ncclCommWindowRegister");
#else
    expect_nccl(ncclCommRegister(owner_->nccl(), data_, bytes, &window_), rank, "ncclCommRegister");
#endif
  }

  tutti::detail::nccl_rank* owner_;
  Element* data_ = nullptr;
  std::size_t count_ = 0;
  bool of_nccl_ = false;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  ncclWindow_t window_ = nullptr;
#else
  void* window_ = nullptr;
#endif
};

}  // namespace tutti::nccl
