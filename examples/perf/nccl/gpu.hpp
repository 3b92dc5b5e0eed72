// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../meeting.hpp"

#include <tutti/transport/nccl.hpp>
#include <tutti/transport/shm.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <nccl.h>

namespace perf {

/// The device of a rank and a stream on it, on which everything happens.
class gpu {
 public:
  explicit gpu(tutti::shm::communicator& world) : gpus_(world) {
    expect(cudaSetDevice(gpus_.device()), "cudaSetDevice");
    expect(cudaStreamCreateWithFlags(&stream_.own, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    on_ = &gpus_.on(stream_.own);
  }

  tutti::nccl::communicator& gpus() { return gpus_; }
  tutti::nccl::stream_communicator& on() { return *on_; }
  cudaStream_t stream() const { return stream_.own; }

  /// Throws what CUDA says went wrong.
  void expect(cudaError_t result, const char* call) const { tutti::detail::expect_cuda(result, gpus_.rank(), call); }

 private:
  struct owned_stream {
    cudaStream_t own = nullptr;
    ~owned_stream() {
      if (own != nullptr) cudaStreamDestroy(own);
    }
  };

  owned_stream stream_{};  // gone after what lives on it
  tutti::nccl::communicator gpus_;
  tutti::nccl::stream_communicator* on_ = nullptr;
};

/// Ranks with a device each. They meet on the host; what is measured is called on the gpu behind communicator().
class meeting_of_gpus final : public meeting {
 public:
  meeting_of_gpus(const std::string& transport, tutti::shm::communicator& world, gpu& mine)
      : meeting(transport, &mine), host_("shm", world), mine_(mine) {}

  int rank() const override { return host_.rank(); }
  int size() const override { return host_.size(); }
  void barrier() override { host_.barrier(); }
  void largest(std::vector<double>& values) override { host_.largest(values); }
  std::uint64_t sum(std::uint64_t value) override { return host_.sum(value); }

  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    auto window = std::make_shared<tutti::nccl::window_buffer<std::byte>>(mine_.gpus().allocate<std::byte>(bytes));
    return {window, window->data()};
  }
  std::shared_ptr<std::byte> plain(std::size_t bytes) override {
    auto memory = std::make_shared<tutti::detail::device_memory>(bytes + 1, rank());
    mine_.expect(cudaMemsetAsync(memory->data(), 0, bytes, mine_.stream()), "cudaMemsetAsync");
    return {memory, static_cast<std::byte*>(memory->data())};
  }

  std::string devices() const override {
    cudaDeviceProp about;
    mine_.expect(cudaGetDeviceProperties(&about, mine_.gpus().device()), "cudaGetDeviceProperties");
    return std::to_string(size()) + " x " + about.name + (reach_each_other() ? ", peers reach each other" : "");
  }
  std::string libraries() const override {
    int runtime = 0, driver = 0, nccl = 0;
    mine_.expect(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    mine_.expect(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    tutti::detail::expect_nccl(ncclGetVersion(&nccl), rank(), "ncclGetVersion");
    return "CUDA " + cuda_version(runtime) + " (driver " + cuda_version(driver) + "), NCCL " +
           std::to_string(nccl / 10000) + "." + std::to_string(nccl / 100 % 100) + "." + std::to_string(nccl % 100);
  }

 private:
  bool reach_each_other() const { return size() > 1 && mine_.on().near() != nullptr; }
  static std::string cuda_version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  }

  meeting_over<tutti::shm::communicator> host_;
  gpu& mine_;
};

}  // namespace perf
