// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/call.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/engine/execute.hpp>
#include <tutti/schedule/collective.hpp>

#include <cstdint>
#include <cstdio>

namespace tutti {

namespace detail {

struct symmetric {
  static constexpr const char* name = "symmetric";
};

template <class Communicator>
class barrier_executor {
 public:
  explicit barrier_executor(Communicator& comm) : comm_(comm) {
    static constexpr auto call = signature_of<collective::barrier, char, symmetric, symmetric>();
    call_ = describe(call, 0, 0, 0, 0);
  }
  progress step() {
    if (!begun_ && comm_.try_begin(call_, 0) != progress::done) return progress::waiting;
    begun_ = true;
    for (; peer_ < comm_.size(); ++peer_)
      if (peer_ != comm_.rank() && !comm_.joined(peer_)) return progress::waiting;
    return progress::done;
  }
  void restart() {
    begun_ = false;
    peer_ = 0;
  }
  bool begun() const { return begun_; }

 private:
  Communicator& comm_;
  descriptor call_;
  bool begun_ = false;
  int peer_ = 0;
};

template <class Communicator>
constexpr bool can_meet() {
  constexpr bool is_one =
      communicator_like<base_communicator<Communicator>> || stream_transport<base_communicator<Communicator>>;
  static_assert(is_one, "tutti: the first argument must be a communicator of tutti");
  return is_one;
}

}  // namespace detail

/// Returns when all ranks have called it; what they did before is visible afterwards.
/// On a stream it returns at once, and the stream goes on when all ranks' streams have come so far.
/// Who calls  all ranks of comm. Throws as all_reduce. One operation: each rank writes a line, reads size - 1.
template <class Communicator>
void barrier(Communicator& comm) {
  if constexpr (detail::can_meet<Communicator>()) {
    detail::expect_member(comm, "barrier");
    if constexpr (stream_transport<Communicator>) {
      detail::stream_engine<Communicator>::barrier(comm);
    } else {
      auto& real = detail::base_of(comm);
      detail::run_executor<detail::barrier_executor<detail::base_communicator<Communicator>>>(comm, real);
    }
  }
}

/// The same by the barrier of the library below: tutti::barrier(world, tutti::native{}).
template <class Communicator, class Algorithm>
  requires requires(Communicator& comm) { Algorithm::meet(comm); }
void barrier(Communicator& comm, Algorithm) {
  if constexpr (detail::can_meet<Communicator>()) {
    detail::expect_member(comm, "barrier");
    Algorithm::meet(comm);
  }
}

/// A barrier that names who is missing where not all ranks come within so many seconds. Then the communicator can't be
/// used any more: the ranks are no longer in the same operation, and all of them get an error.
template <class Communicator>
void monitored_barrier(Communicator& comm, double seconds) {
  if constexpr (detail::can_meet<Communicator>()) {
    detail::expect_member(comm, "monitored_barrier");
    comm.drive([] { return detail::progress::done; });
    detail::barrier_executor<Communicator> meet(comm);
    if (comm.drive_for([&] { return meet.step(); }, std::int64_t(seconds * 1e9))) return;
    char missing[256] = "";
    std::size_t used = 0;
    for (int peer = 0; peer < comm.size() && used < sizeof missing - 16; ++peer)
      if (peer != comm.rank() && !(meet.begun() && comm.joined(peer)))
        used += std::size_t(std::snprintf(missing + used, sizeof missing - used, "%s%d", used == 0 ? "" : ", ", peer));
    char text[400];
    std::snprintf(text, sizeof text, "monitored_barrier on rank %d of %d: not there within %.1f s: rank %s",
                  comm.rank(), comm.size(), seconds, missing);
    comm.abandon(errc::timeout, text);
    detail::fail(errc::timeout, comm.rank(), "%s", text);
  }
}

}  // namespace tutti
