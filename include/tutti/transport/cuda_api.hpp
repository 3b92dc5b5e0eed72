// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if !defined(__CUDACC__)
#  error "tutti: the headers of tutti::nccl hold kernels; compile this file with nvcc"
#endif

#include <tutti/core/error.hpp>

#include <cstddef>
#include <utility>

#include <cuda_runtime.h>

namespace tutti::detail {

/// Throws what CUDA says went wrong.
inline void expect_cuda(cudaError_t result, int rank, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // or the next call would get it once more
  fail(errc::library, rank, "%s on rank %d: CUDA says %s (%s)", call, rank, cudaGetErrorName(result),
       cudaGetErrorString(result));
}

/// What launched last was accepted.
inline void expect_launched(int rank, const char* kernel) { expect_cuda(cudaGetLastError(), rank, kernel); }

/// Makes a device the current one while it lives.
class device_guard {
 public:
  device_guard(int device, int rank) {
    expect_cuda(cudaGetDevice(&before_), rank, "cudaGetDevice");
    if (before_ != device) expect_cuda(cudaSetDevice(device), rank, "cudaSetDevice");
    changed_ = before_ != device;
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() {
    if (changed_) cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Memory of the current device.
class device_memory {
 public:
  device_memory() = default;
  device_memory(std::size_t bytes, int rank) {
    const cudaError_t result = cudaMalloc(&data_, bytes);
    if (result == cudaSuccess) return;
    cudaGetLastError();
    fail(errc::resource, rank, "cudaMalloc on rank %d: %zu bytes: %s", rank, bytes, cudaGetErrorString(result));
  }
  device_memory(device_memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  device_memory& operator=(device_memory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~device_memory() { cudaFree(data_); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// One object in memory of the host that the device writes, value-initialised.
template <class Type>
class mapped_object {
 public:
  explicit mapped_object(int rank) {
    void* room = nullptr;
    expect_cuda(cudaHostAlloc(&room, sizeof(Type), cudaHostAllocMapped | cudaHostAllocPortable), rank, "cudaHostAlloc");
    here_ = new (room) Type{};
    expect_cuda(cudaHostGetDevicePointer(&room, room, 0), rank, "cudaHostGetDevicePointer");
    there_ = static_cast<Type*>(room);
  }
  mapped_object(const mapped_object&) = delete;
  mapped_object& operator=(const mapped_object&) = delete;
  ~mapped_object() { cudaFreeHost(here_); }

  Type& on_host() const { return *here_; }
  Type* on_device() const { return there_; }

 private:
  Type *here_ = nullptr, *there_ = nullptr;
};

/// The room of one call, given and taken back in the order of a stream: it is there when the call runs, also in a
/// graph.
class stream_memory {
 public:
  stream_memory(std::size_t bytes, cudaStream_t stream, int rank) : stream_(stream) {
    if (bytes != 0) expect_cuda(cudaMallocAsync(&data_, bytes, stream), rank, "cudaMallocAsync");
  }
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;
  ~stream_memory() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

/// A graph is being made of what is enqueued on the stream.
inline bool is_captured(cudaStream_t stream, int rank) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  expect_cuda(cudaStreamIsCapturing(stream, &status), rank, "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace tutti::detail
