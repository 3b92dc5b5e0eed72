// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/concepts.hpp>
#include <tutti/core/error.hpp>
#include <tutti/transport/host_ranks.hpp>
#include <tutti/transport/nccl_rank.hpp>
#include <tutti/transport/nccl_stream.hpp>
#include <tutti/transport/nccl_window.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::nccl {

/// How a communicator is made.
struct options {
  int device = tutti::detail::nccl_rank::any_device;  ///< else the rank modulo the number of devices
  /// How much a rank may push to another in one part of a kernel; what is longer goes in several kernels. Each stream
  /// takes 8 * ranks times as much of the device's memory.
  std::size_t push_bytes = std::size_t(2) << 20;
  /// Ranks of several processes may be on one device, which they use in turns: for trying out where there is one GPU.
  /// Without NCCL then: only what goes by loads and stores works, that is automatic, one_phase and direct.
  bool share_devices = false;
};

/// Devices of the ranks of a communicator of the host: one process a device (under shm, mpi, hybrid) or one thread a
/// device (threads). Collectives are called on one of its streams:
///     tutti::nccl::communicator gpus(world);
///     tutti::all_reduce(gpus.on(stream), std::span(gradients, n), tutti::sum{});
/// Everything here is collective over all ranks unless it says otherwise. Destroyed before the host's communicator, and
/// after its streams have run dry.
class communicator {
 public:
  /// Throws tutti::error where a device is missing or shared, where CUDA or NCCL fails, and what the host's
  /// communicator throws.
  template <communicator_like Host>
  explicit communicator(Host& host, const options& how = {})
      : communicator(std::make_unique<tutti::detail::host_ranks_over<Host>>(host), how) {}

  /// False for a rank that is in no group of a split.
  bool active() const { return rank_ != nullptr; }
  int rank() const { return rank_ ? rank_->rank() : -1; }
  int size() const { return rank_ ? rank_->size() : 0; }
  int device() const { return owner("device").device(); }
  /// NCCL's own communicator.
  ncclComm_t native_handle() const { return owner("native_handle").nccl_for("native_handle"); }

  /// The communicator for calls on this stream, which lives as long as this one. Collective where the stream is new,
  /// and then it may not be under capture. Two streams may push at the same time; more, and any that send messages or
  /// call NCCL itself, must come in one order on all ranks (by events, or one after the other has run).
  stream_communicator& on(cudaStream_t stream) {
    auto& own = owner("on");
    for (const auto& one : streams_)
      if (one->stream() == stream) return *one;
    own.expect_usable("on");
    const tutti::detail::device_guard here(own.device(), own.rank());
    if (tutti::detail::is_captured(stream, own.rank()))
      tutti::detail::fail(
          errc::bad_argument, own.rank(),
          "on(stream) on rank %d: a graph is being captured, and the stream is new here; call on(stream) "
          "once before",
          own.rank());
    streams_.push_back(std::make_unique<stream_communicator>(own, stream, how_.push_bytes / 12 + 4));
    return *streams_.back();
  }

  /// The ranks of one color become a communicator of their own, ordered by key, then by rank, on the same devices. With
  /// a negative color this rank is in none.
  communicator split(int color, int key) {
    auto part = owner("split").host().split(color, key);
    options how = how_;
    how.device = device();
    return part == nullptr ? communicator() : communicator(std::move(part), how);
  }
  communicator split(int color) { return split(color, rank()); }

  /// n elements on the device, known to NCCL on all ranks: its collectives copy from and to it directly. Every rank
  /// asks for the same count.
  template <class Element>
  window_buffer<Element> allocate(std::size_t count) {
    return window_buffer<Element>(owner("allocate"), count);
  }

  /// Seconds that a call may wait for its peers; the host communicator's unless this says otherwise. Not collective.
  void timeout(double seconds) { owner("timeout").timeout(seconds); }
  double timeout() const { return owner("timeout").timeout(); }

  /// Ends what runs, on this rank, without waiting for it. Nothing can be called afterwards. Not collective.
  void abort() {
    for (const auto& one : streams_) one->give_up();
    if (rank_) rank_->abort();
  }

 private:
  communicator() = default;
  communicator(std::unique_ptr<tutti::detail::host_ranks> host, const options& how)
      : how_(how), rank_(std::make_unique<tutti::detail::nccl_rank>(std::move(host), how.device, how.share_devices)) {}

  tutti::detail::nccl_rank& owner(const char* call) const {
    if (!rank_)
      tutti::detail::fail(errc::bad_argument, -1, "%s on a communicator of a group that this process is not in", call);
    return *rank_;
  }

  options how_;
  std::unique_ptr<tutti::detail::nccl_rank> rank_;
  std::vector<std::unique_ptr<stream_communicator>> streams_;  // gone before the rank
};

}  // namespace tutti::nccl
