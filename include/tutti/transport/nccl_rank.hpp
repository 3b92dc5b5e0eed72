// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/transport/cuda_api.hpp>
#include <tutti/transport/host_ranks.hpp>
#include <tutti/transport/nccl_api.hpp>
#include <tutti/transport/push_memory.hpp>

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <unistd.h>

namespace tutti::detail {

/// One rank with a device: NCCL's communicator, and the ranks on the host that it was made over. Where ranks share
/// devices there is no NCCL.
class nccl_rank {
 public:
  /// Collective. device: any_device takes the rank's number modulo the devices that there are. share: several processes
  /// may be on one device.
  static constexpr int any_device = -1;
  nccl_rank(std::unique_ptr<host_ranks> host, int device, bool share)
      : host_(std::move(host)), rank_(host_->rank()), size_(host_->size()), device_(choose(device)) {
    const device_guard here(device_, rank_);
    expect_cuda(cudaFree(nullptr), rank_, "cudaFree");  // a broken device shows now
    shared_ = shares_devices(share);
    if (shared_) return;
    name id;
    if (rank_ == 0) expect_nccl(ncclGetUniqueId(&id.of_nccl), rank_, "ncclGetUniqueId");
    id = host_->exchange_values(id)[0];
    ncclComm_t comm = nullptr;
    expect_nccl(ncclCommInitRank(&comm, size_, id.of_nccl, rank_), rank_, "ncclCommInitRank");
    nccl_ = nccl_handle(comm);
    connect();
  }
  nccl_rank(const nccl_rank&) = delete;
  nccl_rank& operator=(const nccl_rank&) = delete;
  ~nccl_rank() {
    if (std::uncaught_exceptions() == exceptions_ && !failed_) nccl_.destroy();
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  int device() const { return device_; }
  host_ranks& host() const { return *host_; }
  /// Null where ranks share devices, and after abort.
  ncclComm_t nccl() const { return nccl_.get(); }
  /// For what can't be done without it.
  ncclComm_t nccl_for(const char* what) const {
    if (shared_)
      fail(errc::bad_argument, rank_,
           "%s on rank %d: it goes by NCCL, which can't have ranks on one device, as they are here; only what "
           "automatic, one_phase and direct do by loads and stores works",
           what, rank_);
    return nccl_.get();
  }
  double timeout() const { return timeout_ < 0 ? host_->timeout() : timeout_; }
  void timeout(double seconds) { timeout_ = seconds; }

  void expect_usable(const char* call) const {
    if (failed_) fail(errc::peer_failed, rank_, "%s on rank %d: this communicator has failed before", call, rank_);
  }
  /// Nothing works any more, and nothing waits.
  void abort() {
    failed_ = true;
    nccl_.abort();
  }
  bool failed() const { return failed_; }

 private:
  /// nvcc 13.0 ends with an internal error over a vector of a struct that only its typedef names, as ncclUniqueId is.
  struct name {
    ncclUniqueId of_nccl{};
  };

  int choose(int device) const {
    int devices = 0, current = 0;
    cudaError_t result = cudaGetDeviceCount(&devices);
    if (result == cudaSuccess && devices != 0)
      result = cudaGetDevice(&current);  // the parent's count may still be known
    if (result == cudaErrorInitializationError)
      fail(errc::library, rank_,
           "nccl::communicator on rank %d: CUDA can't be used in this process, whose parent used it before it forked; "
           "make no CUDA call before launch",
           rank_);
    expect_cuda(result, rank_, "cudaGetDevice");
    if (devices == 0) fail(errc::resource, rank_, "nccl::communicator on rank %d: there is no CUDA device", rank_);
    if (device == any_device) return rank_ % devices;
    if (device < 0 || device >= devices)
      fail(errc::bad_argument, rank_, "nccl::communicator on rank %d: device is %d, but there are %d", rank_, device,
           devices);
    return device;
  }

  struct identity {
    std::uint64_t device[2], process;
  };
  /// True where two ranks have one device. NCCL can't have that, and says so in other words.
  bool shares_devices(bool allowed) const {
    cudaDeviceProp about;
    expect_cuda(cudaGetDeviceProperties(&about, device_), rank_, "cudaGetDeviceProperties");
    identity mine;
    static_assert(sizeof about.uuid == sizeof mine.device);
    std::memcpy(mine.device, &about.uuid, sizeof mine.device);
    mine.process = std::uint64_t(getpid());
    const auto all = host_->exchange_values(mine);
    bool shared = false;
    for (int one = 0; one < size_; ++one)
      for (int other = 0; other < one; ++other) {
        const identity &a = all[std::size_t(one)], &b = all[std::size_t(other)];
        if (std::memcmp(a.device, b.device, sizeof a.device) != 0) continue;
        shared = true;
        if (!allowed)
          fail(errc::bad_argument, rank_,
               "nccl::communicator on rank %d: ranks %d and %d have the same device; each rank needs its own (or "
               "options::share_devices, for trying out)",
               rank_, other, one);
        // What frees memory waits for all that the process runs on the device, also for what waits for a peer.
        if (a.process == b.process)
          fail(errc::bad_argument, rank_,
               "nccl::communicator on rank %d: ranks %d and %d are threads of one process and have the same device; "
               "only processes can share one",
               rank_, other, one);
      }
    return shared;
  }

  /// NCCL connects two ranks when they first speak, and the host waits there without end for one that doesn't come. Now
  /// all have come.
  void connect() const {
    const device_memory room(std::size_t(size_) * 2, rank_);
    auto* bytes = static_cast<char*>(room.data());
    cudaStream_t stream = nullptr;
    expect_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), rank_, "cudaStreamCreate");
    nccl_group group(rank_);
    for (int peer = 0; peer < size_; ++peer) {
      expect_nccl(ncclSend(bytes + peer, 1, ncclChar, peer, nccl_.get(), stream), rank_, "ncclSend");
      expect_nccl(ncclRecv(bytes + size_ + peer, 1, ncclChar, peer, nccl_.get(), stream), rank_, "ncclRecv");
    }
    group.end();
    expect_cuda(cudaStreamSynchronize(stream), rank_, "cudaStreamSynchronize");
    cudaStreamDestroy(stream);
  }

  std::unique_ptr<host_ranks> host_;
  int rank_, size_, device_;
  nccl_handle nccl_;
  double timeout_ = -1;
  bool failed_ = false, shared_ = false;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace tutti::detail
