// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the exercises on GPUs share beside exercise.hpp: one rank a GPU, and vectors that kernels and the host can read.

#include "../../mnist/gpus.cuh"
#include "../exercise.hpp"

#include <tutti/nccl.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace exercise {

using host = tutti::shm::communicator;            // the ranks' processes: objects go this way
using gpus = tutti::nccl::communicator;           // their GPUs
using stream = tutti::nccl::stream_communicator;  // a stream on each: calls are enqueued there and return at once

inline void expect_cuda(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
}

// ---- memory -------------------------------------------------------------------------------------------------

/// Managed memory moves to whoever touches it, so that a vector there is filled and printed as any other. In between,
/// what is enqueued must have run: synchronize() first.
template <class Value>
struct managed_memory {
  using value_type = Value;
  managed_memory() = default;
  template <class Other>
  managed_memory(const managed_memory<Other>&) {}

  Value* allocate(std::size_t count) {
    void* memory = nullptr;
    expect_cuda(cudaMallocManaged(&memory, count * sizeof(Value)), "cudaMallocManaged");
    return static_cast<Value*>(memory);
  }
  void deallocate(Value* memory, std::size_t) { cudaFree(memory); }

  friend bool operator==(const managed_memory&, const managed_memory&) { return true; }
};

template <class Value>
using managed = std::vector<Value, managed_memory<Value>>;

/// to[i] += from[i], on the stream.
template <class Value>
__global__ void add_kernel(Value* to, const Value* from, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i < count) to[i] += from[i];
}
template <class To, class From>
void add(const stream& on, To&& to, const From& from) {
  if (to.empty()) return;
  add_kernel<<<unsigned((to.size() + 255) / 256), 256, 0, on.stream()>>>(to.data(), from.data(), to.size());
  expect_cuda(cudaGetLastError(), "add_kernel");
}

// ---- printing -----------------------------------------------------------------------------------------------

/// say() when all that was enqueued has run.
template <class... Parts>
void say_when_done(stream& on, const Parts&... parts) {
  on.synchronize();
  say(on, parts...);
}

// ---- launch -------------------------------------------------------------------------------------------------

struct gpu_transports {
  static constexpr const char* usual = "nccl";
  static constexpr const char* all = "nccl";
  static void expect(const std::string& value) {
    if (value == "shm" || value == "threads" || value == "mpi" || value == "hybrid")
      throw usage_error("--transport " + value + " is for memory of the host: the program of this name that preset " +
                        "release builds has it");
    if (value != "nccl") throw usage_error("--transport is nccl, not " + value);
  }
};

/// Runs work(host, gpus, stream) on every rank: of the launcher where there is one, else of --ranks processes. Each
/// rank has a GPU of its own. Without a GPU nothing runs, and CTest's number for that is returned.
template <class Work>
int run_on_gpus(int argc, char** argv, Work work) {
  return start<gpu_transports>(argc, argv, [&](const options& chosen, const auto& launcher, const std::string&) {
    constexpr int skipped = 77, usual_ranks = 4;
    const int there = mnist::count_gpus();
    if (there == 0) {
      if (launcher.rank == 0) print("skipped: no GPU");
      return skipped;
    }
    const int ranks = chosen.ranks.value_or(launcher ? launcher.size : std::min(there, usual_ranks));
    if (ranks > there && !launcher)  // a launcher may show each rank one GPU alone
      throw usage_error("--ranks " + std::to_string(ranks) + ": each rank needs a GPU of its own, and there " +
                        (there == 1 ? "is 1" : "are " + std::to_string(there)));
    tutti::shm::launch(ranks, [&](host& world) {
      gpus all(world);
      expect_cuda(cudaSetDevice(all.device()), "cudaSetDevice");
      cudaStream_t one = nullptr;
      expect_cuda(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      work(world, all, one);
      expect_cuda(cudaStreamDestroy(one), "cudaStreamDestroy");
    });
    return 0;
  });
}

}  // namespace exercise
