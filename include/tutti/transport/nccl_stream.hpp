// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/message_model.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/transport/nccl_rank.hpp>
#include <tutti/transport/push_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <atomic>
#include <vector>

#include <sched.h>

namespace tutti::nccl {

/// A communicator on a stream: what collectives of device memory are called on. A call enqueues its work and returns;
/// the stream runs calls in their order, also out of a CUDA graph that was captured from it. All ranks call in the
/// same order. Its own memory for messages makes it independent of other streams.
class stream_communicator {
 public:
  using tutti_stream = cudaStream_t;
  static constexpr const char* transport_name = "nccl";
  static constexpr bool load_store = false;

  /// Collective; see communicator::on.
  stream_communicator(tutti::detail::nccl_rank& owner, cudaStream_t stream, std::size_t row)
      : owner_(owner), stream_(stream), words_(std::size_t(owner.size())), push_(owner.host(), owner.device(), row) {}
  stream_communicator(const stream_communicator&) = delete;
  stream_communicator& operator=(const stream_communicator&) = delete;

  int rank() const { return owner_.rank(); }
  int size() const { return owner_.size(); }
  int device() const { return owner_.device(); }
  cudaStream_t stream() const { return stream_; }
  ncclComm_t native_handle() const { return owner_.nccl_for("native_handle"); }
  double timeout() const { return owner_.timeout(); }

  /// Waits until all that was called has run. Throws tutti::error where it can't any more: a peer has died, is silent
  /// for longer than timeout(), called something else, or NCCL has failed; then the communicator is of no more use.
  void synchronize() {
    expect_usable("synchronize");
    const auto begun = tutti::detail::now_ns();
    const auto patience = std::int64_t(timeout() * 1e9) + 1000000000;  // kernels say more than this can
    for (std::int64_t next_look = begun + 20000000;;) {
      const cudaError_t state = cudaStreamQuery(stream_);
      expect_no_report();
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) tutti::detail::expect_cuda(state, rank(), "cudaStreamQuery");
      const std::int64_t now = tutti::detail::now_ns();
      if (now - begun > 1000000) sched_yield();
      if (now < next_look) continue;
      next_look = now + 20000000;
      look_for_trouble(now - begun > patience);
    }
  }
  /// Throws where a call that has run has failed; waits for nothing.
  void check() {
    expect_usable("check");
    expect_no_report();
    expect_nccl_works();
  }

  // ---- for the engine ---------------------------------------------------------------------------------------

  void expect_usable(const char* call) const { owner_.expect_usable(call); }
  void expect_nccl(const char* call) const { owner_.nccl_for(call); }
  /// Where ranks push to each other; null where they can't.
  const tutti::detail::push_region* near() const { return push_.works() ? &push_.region() : nullptr; }
  tutti::detail::pool& memory_pool() { return pool_; }
  /// A word for everybody, on the host: lengths that a rank alone knows. Collective, and waits.
  void exchange(std::uint64_t word) { owner_.host().exchange(word, words_.data()); }
  std::uint64_t payload_of(int rank) const { return words_[std::size_t(rank)]; }

  /// What reports of kernels call a collective by; of names that live as long as the program.
  std::uint32_t number_of(const char* name) {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return std::uint32_t(i);
    names_.push_back(name);
    return std::uint32_t(names_.size() - 1);
  }

  static constexpr message_model usual_model{1e-5, 3e-12, 1e-12};
  const message_model& model() const { return usual_model; }

  /// Runs a step that needs no time.
  template <class Step>
  void drive_pending(Step&& step) {
    while (step() != tutti::detail::progress::done) continue;
  }

 private:
  friend class communicator;

  void expect_no_report() {
    auto& report = push_.report();
    using tutti::detail::push_report;
    const std::uint32_t state = std::atomic_ref(report.state).load(std::memory_order_acquire);
    if (state == push_report::nothing) return;
    owner_.abort();
    const char* name = names_[report.collective];
    if (state == push_report::silent_peer)
      tutti::detail::fail(errc::timeout, rank(),
                          "%s on rank %d: nothing came from rank %u for %.1f s, operation %u of its stream", name,
                          rank(), report.peer, timeout(), report.operation);
    if (state == push_report::other_length)
      tutti::detail::fail(errc::mismatch, rank(),
                          "%s on rank %d: operation %u of its stream has %llu bytes, but %llu on rank %u", name, rank(),
                          report.operation, static_cast<unsigned long long>(report.bytes),
                          static_cast<unsigned long long>(report.peers_bytes), report.peer);
    tutti::detail::fail(
        errc::mismatch, rank(),
        "%s on rank %d: in operation %u of its stream, of %llu bytes, rank %u calls another collective, "
        "type, operator, algorithm or root, of %llu bytes",
        name, rank(), report.operation, static_cast<unsigned long long>(report.bytes), report.peer,
        static_cast<unsigned long long>(report.peers_bytes));
  }

  void expect_nccl_works() {
    if (owner_.nccl() == nullptr) return;  // ranks share devices
    ncclResult_t result = ncclSuccess;
    if (ncclCommGetAsyncError(owner_.nccl(), &result) == ncclSuccess && result == ncclSuccess) return;
    owner_.abort();
    tutti::detail::fail(errc::library, rank(), "on rank %d: NCCL says %s", rank(), ncclGetErrorString(result));
  }

  void look_for_trouble(bool late) {
    // The host first: it knows who has died, NCCL only that somebody doesn't answer.
#if TUTTI_EXCEPTIONS
    try {
      owner_.host().look();
    } catch (...) {
      give_up();
      throw;
    }
#else
    owner_.host().look();
#endif
    expect_nccl_works();
    if (!late) return;
    give_up();
    tutti::detail::fail(errc::timeout, rank(), "synchronize on rank %d: the stream has not finished within %.1f s",
                        rank(), timeout());
  }
  /// What runs ends soon.
  void give_up() {
    std::atomic_ref(push_.orders().stop).store(1, std::memory_order_release);
    owner_.abort();
  }

  tutti::detail::nccl_rank& owner_;
  cudaStream_t stream_;
  tutti::detail::pool pool_;
  std::vector<std::uint64_t> words_;
  std::vector<const char*> names_;
  tutti::detail::push_memory push_;
};

}  // namespace tutti::nccl
