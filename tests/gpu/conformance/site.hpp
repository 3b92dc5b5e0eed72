// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check.hpp"

#include <tutti/transport/nccl.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace conformance {

using stream_communicator = tutti::nccl::stream_communicator;

/// A rank with its device, the stream that it calls on, and memory of the device. The memory is allocated once, as
/// allocating and freeing waits for what runs, and what runs may wait for a peer.
class site {
 public:
  site(tutti::nccl::communicator& gpus, cudaStream_t stream) : gpus_(gpus), on_(gpus.on(stream)) {
    must(cudaMalloc(reinterpret_cast<void**>(&memory_), capacity), "cudaMalloc");
    everyones(0);
  }
  site(const site&) = delete;
  site& operator=(const site&) = delete;
  ~site() { cudaFree(memory_); }

  int rank() const { return on_.rank(); }
  int size() const { return on_.size(); }
  tutti::nccl::communicator& gpus() { return gpus_; }
  stream_communicator& on() { return on_; }
  cudaStream_t stream() const { return on_.stream(); }

  /// Every rank's word, by rank. Collective, on the host.
  std::vector<std::uint64_t> everyones(std::uint64_t word) {
    on_.exchange(word);
    std::vector<std::uint64_t> all;
    for (int peer = 0; peer < size(); ++peer) all.push_back(on_.payload_of(peer));
    return all;
  }

  /// Memory of the device until clear().
  std::byte* room(std::size_t bytes) {
    const std::size_t rounded = (bytes + 511) / 512 * 512;
    if (used_ + rounded > capacity) throw std::runtime_error("the test needs more memory than it has set apart");
    used_ += rounded;
    return memory_ + used_ - rounded;
  }
  void clear() { used_ = 0; }

 private:
  static constexpr std::size_t capacity = std::size_t(192) << 20;
  tutti::nccl::communicator& gpus_;
  stream_communicator& on_;
  std::byte* memory_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace conformance
