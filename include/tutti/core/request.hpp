// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/config.hpp>
#include <tutti/core/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti {

/// A call under way. It moves on whenever its rank tests or waits for anything of tutti, or a progress_thread does it.
/// Move-only. It keeps the buffers that were moved into the call; others must stay where they are until it has ended.
/// The requests of one communicator run in the order in which they were issued, on all ranks the same.
/// A destructor waits for the call, at most to the communicator's deadline; it swallows errors, which all ranks of the
/// world have heard of by then.
class request_base {
 public:
  request_base() = default;
  explicit request_base(detail::operation* one) : one_(one) {}
  request_base(request_base&& other) noexcept : one_(std::exchange(other.one_, nullptr)) {}
  request_base& operator=(request_base&& other) noexcept {
    std::swap(one_, other.one_);
    return *this;
  }
  ~request_base() { end(); }

  /// True while there is a call to wait for: not for a default request, nor after cancel or being moved from.
  bool valid() const { return one_ != nullptr; }
  /// True where the call has ended; gives it a chance to move, never blocks. Throws what went wrong.
  bool test() { return one_ == nullptr || one_->finish(0); }
  /// Waits for the end of the call. Throws what went wrong, also when called again.
  void wait() {
    if (one_ != nullptr) one_->finish(-1);
  }
  /// Waits for at most so many seconds; true where the call has ended.
  bool wait_for(double seconds) { return one_ == nullptr || one_->finish(std::int64_t(seconds * 1e9)); }
  template <class Duration>
    requires requires(Duration time) {
      time.count();
      typename Duration::period;
    }
  bool wait_for(Duration time) {
    return wait_for(double(time.count()) * double(Duration::period::num) / double(Duration::period::den));
  }

  /// Lets go of the call; afterwards its buffers are the caller's. What the others don't know of yet (a send or recv
  /// that has not begun) is taken back: true. A collective can't be: unless it has ended, the communicator fails, on
  /// all ranks, so that nobody waits for this one.
  bool cancel() {
    if (one_ == nullptr) return true;
    const bool clean = one_->take_back();
    if (!clean) one_->abandon(errc::peer_failed, "a request was cancelled that its peers had seen");
    std::exchange(one_, nullptr)->dispose();
    return clean;
  }

  /// Hands the call over to whoever makes a request of it.
  detail::operation* release() { return std::exchange(one_, nullptr); }
  /// How many seconds the communicator waits for its peers.
  double patience() const { return one_ == nullptr ? 0 : one_->patience(); }

 private:
  void end() noexcept {
    if (one_ == nullptr) return;
#if TUTTI_EXCEPTIONS
    try {
      one_->finish(-1);
    } catch (...) {  // the world knows
    }
#else
    one_->finish(-1);
#endif
    one_->dispose();
    one_ = nullptr;
  }

  detail::operation* one_ = nullptr;
};

/// A request whose call gives a value, or keeps what was moved into it: get() waits and hands it over.
template <class Result = void>
class request : public request_base {
 public:
  request() = default;
  request(detail::operation* one, Result&& result) : request_base(one), result_(std::move(result)) {}
  request(request&&) noexcept = default;
  request& operator=(request&& other) noexcept {
    request_base::operator=(static_cast<request_base&&>(other));
    std::swap(result_, other.result_);
    return *this;
  }
  /// The call ends before the memory goes that it writes to.
  ~request() { request_base last(static_cast<request_base&&>(*this)); }

  Result get() {
    wait();
    return std::move(result_);
  }

 private:
  Result result_{};
};
template <>
class request<void> : public request_base {
 public:
  using request_base::request_base;
  void get() { wait(); }
};

/// Waits for all requests of a range, whatever their communicators: waiting for one moves the others.
template <class Requests>
  requires requires(Requests& some) {
    some.begin();
    some.end();
  }
void wait_all(Requests&& some) {
  for (auto& one : some) one.wait();
}
template <class... Results>
void wait_all(request<Results>&... some) {
  (some.wait(), ...);
}

/// Waits until one request of a range has ended; returns its index. An empty range has none: its length.
template <class Requests>
std::size_t wait_any(Requests&& some) {
  const std::int64_t begun = detail::now_ns();
  for (;;) {
    std::size_t index = 0;
    for (auto& one : some) {
      if (one.test()) return index;
      ++index;
    }
    if (index == 0) return 0;
    auto& first = *some.begin();
    if (double(detail::now_ns() - begun) * 1e-9 > first.patience()) first.wait();  // to its deadline, which throws
    first.wait_for(1e-3);
  }
}

}  // namespace tutti
