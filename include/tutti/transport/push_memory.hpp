// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/transport/cuda_api.hpp>
#include <tutti/transport/host_ranks.hpp>
#include <tutti/transport/push_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <unistd.h>

namespace tutti::detail {

/// Every word of a region.
template <class Word>
__global__ void fill_words(Word* words, std::size_t count, Word value) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * std::size_t(blockDim.x))
    words[i] = value;
}

/// The memory of all ranks in which they push to each other: each allocates its own and maps that of its peers, over
/// NVLink or PCIe, where CUDA can. Any memory of cudaMalloc serves; nothing else of the program needs to be registered.
class push_memory {
 public:
  /// Collective. row: how many packs a rank may push to another in one part of a call.
  push_memory(host_ranks& ranks, int device, std::size_t row) : report_(ranks.rank()), orders_(ranks.rank()) {
    const int rank = ranks.rank();
    region_.rank = rank;
    region_.ranks = ranks.size();
    region_.row = row;
    if (ranks.size() > most_peers) return;
    int processors = 0;
    expect_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), rank,
                "cudaDeviceGetAttribute");
    if (processors - 2 < region_.blocks) region_.blocks = processors > 3 ? processors - 2 : 1;
    const std::size_t packs = push_region::packs(ranks.size(), row);
    own_ = device_memory(packs * sizeof(pack), rank);
    control_ = device_memory(sizeof(push_control), rank);
    fill_words<<<128, 512>>>(static_cast<std::uint32_t*>(own_.data()), packs * 4, empty_word);
    expect_launched(rank, "fill_words");
    const push_control fresh;
    expect_cuda(cudaMemcpy(control_.data(), &fresh, sizeof fresh, cudaMemcpyHostToDevice), rank, "cudaMemcpy");
    expect_cuda(cudaDeviceSynchronize(), rank, "cudaDeviceSynchronize");
    region_.control = static_cast<push_control*>(control_.data());
    region_.report = report_.on_device();
    region_.orders = orders_.on_device();

    // What is empty, all see before anybody pushes: the second exchange.
    const auto all = ranks.exchange_values(show(device));
    const bool mapped = map(all, device);
    std::vector<std::uint64_t> able(std::size_t(ranks.size()));
    ranks.exchange(mapped ? 1 : 0, able.data());
    works_ = true;
    for (const std::uint64_t one : able) works_ = works_ && one != 0;
  }
  push_memory(const push_memory&) = delete;
  push_memory& operator=(const push_memory&) = delete;
  ~push_memory() {
    for (void* one : opened_) cudaIpcCloseMemHandle(one);
  }

  /// All ranks can push to all; the same on all ranks.
  bool works() const { return works_; }
  const push_region& region() const { return region_; }
  push_report& report() const { return report_.on_host(); }
  push_orders& orders() const { return orders_.on_host(); }

 private:
  struct shown {
    std::uint64_t host = 0, process = 0;
    void* address = nullptr;
    int device = 0;
    bool has_handle = false;
    cudaIpcMemHandle_t handle{};
  };

  static std::uint64_t host_print() {
    char text[64] = "";
    if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
      if (std::fgets(text, sizeof text, file) == nullptr) text[0] = 0;
      std::fclose(file);
    }
    return literal(text).hash();
  }

  shown show(int device) const {
    shown mine;
    mine.host = host_print();
    mine.process = std::uint64_t(getpid());
    mine.address = own_.data();
    mine.device = device;
    mine.has_handle = cudaIpcGetMemHandle(&mine.handle, own_.data()) == cudaSuccess;
    cudaGetLastError();
    return mine;
  }

  bool map(const std::vector<shown>& all, int device) {
    const shown& mine = all[std::size_t(region_.rank)];
    for (std::size_t peer = 0; peer < all.size(); ++peer) {
      const shown& theirs = all[peer];
      void* address = theirs.address;
      if (int(peer) == region_.rank) {
        region_.of[peer] = static_cast<pack*>(address);
        continue;
      }
      if (theirs.host != mine.host) return false;
      if (theirs.process == mine.process) {
        if (!reach(device, theirs.device)) return false;
      } else {
        if (!theirs.has_handle ||
            cudaIpcOpenMemHandle(&address, theirs.handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
          cudaGetLastError();
          return false;
        }
        opened_.push_back(address);
      }
      region_.of[peer] = static_cast<pack*>(address);
    }
    return true;
  }
  static bool reach(int from, int to) {
    int can = 0;
    if (from == to) return true;
    if (cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess || can == 0) return false;
    const cudaError_t result = cudaDeviceEnablePeerAccess(to, 0);
    cudaGetLastError();
    return result == cudaSuccess || result == cudaErrorPeerAccessAlreadyEnabled;
  }

  push_region region_;
  device_memory own_, control_;
  mapped_object<push_report> report_;
  mapped_object<push_orders> orders_;
  std::vector<void*> opened_;
  bool works_ = false;
};

}  // namespace tutti::detail
