// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The little of CUDA that a training needs beside its kernels: memory, a stream, a stopwatch.
#pragma once

#include "output.hpp"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

namespace mnist {

/// Throws what CUDA says went wrong.
inline void expect_cuda(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw std::runtime_error(format("%s: %s", call, cudaGetErrorString(result)));
}

/// What was launched last was accepted.
inline void expect_launched(const char* kernel) { expect_cuda(cudaGetLastError(), kernel); }

/// The stream that a rank computes on.
class device_stream {
 public:
  device_stream() { expect_cuda(cudaStreamCreate(&stream_), "cudaStreamCreate"); }
  ~device_stream() { cudaStreamDestroy(stream_); }
  device_stream(const device_stream&) = delete;
  device_stream& operator=(const device_stream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Elements in the memory of the current device, at first of no value.
template <class Element>
class device_array {
 public:
  explicit device_array(std::size_t count) : count_(count) {
    if (count == 0) return;
    const auto result = cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(Element));
    if (result != cudaSuccess) {
      throw std::runtime_error(
          format("cudaMalloc: %zu bytes: %s", count * sizeof(Element), cudaGetErrorString(result)));
    }
  }
  device_array(std::span<const Element> elements, cudaStream_t stream) : device_array(elements.size()) {
    upload(elements, stream);
  }
  device_array(device_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  device_array& operator=(device_array&&) = delete;
  ~device_array() { cudaFree(data_); }

  Element* data() { return data_; }
  const Element* data() const { return data_; }
  std::size_t size() const { return count_; }

  /// Copies to the first elements and waits for it: the source may change at once.
  void upload(std::span<const Element> from, cudaStream_t stream) {
    if (from.size() > count_) throw std::out_of_range("device_array: more elements than there is room for");
    if (from.empty()) return;
    expect_cuda(cudaMemcpyAsync(data_, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream),
                "cudaMemcpyAsync");
    expect_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  /// Copies all; they are there when the stream has run dry.
  std::vector<Element> download(cudaStream_t stream) const {
    std::vector<Element> all(count_);
    if (count_ == 0) return all;
    expect_cuda(cudaMemcpyAsync(all.data(), data_, count_ * sizeof(Element), cudaMemcpyDeviceToHost, stream),
                "cudaMemcpyAsync");
    return all;
  }
  void fill_with_zeros(cudaStream_t stream) {
    if (count_ == 0) return;
    expect_cuda(cudaMemsetAsync(data_, 0, count_ * sizeof(Element), stream), "cudaMemsetAsync");
  }

 private:
  Element* data_ = nullptr;
  std::size_t count_ = 0;
};

/// Adds up the seconds that a stream spends between start() and stop().
class stream_stopwatch {
 public:
  explicit stream_stopwatch(cudaStream_t stream) : stream_(stream) {}
  ~stream_stopwatch() {
    for (const auto event : events_) cudaEventDestroy(event);
  }
  stream_stopwatch(const stream_stopwatch&) = delete;
  stream_stopwatch& operator=(const stream_stopwatch&) = delete;

  void start() { mark(); }
  void stop() { mark(); }

  /// Takes in what was measured since the last time; the stream has run dry.
  void collect() {
    for (std::size_t at = 0; at < marked_; at += 2) {
      float milliseconds = 0;
      expect_cuda(cudaEventElapsedTime(&milliseconds, events_[at], events_[at + 1]), "cudaEventElapsedTime");
      seconds_ += static_cast<double>(milliseconds) / 1000;
    }
    marked_ = 0;
  }
  /// Of what was collected since the last reset.
  double seconds() const { return seconds_; }
  void reset() { seconds_ = 0; }

 private:
  void mark() {
    if (marked_ == events_.size()) {
      cudaEvent_t event = nullptr;
      expect_cuda(cudaEventCreate(&event), "cudaEventCreate");
      events_.push_back(event);
    }
    expect_cuda(cudaEventRecord(events_[marked_++], stream_), "cudaEventRecord");
  }

  cudaStream_t stream_;
  std::vector<cudaEvent_t> events_;  // used again after each collect()
  std::size_t marked_ = 0;
  double seconds_ = 0;
};

}  // namespace mnist
