// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/parcel.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/core/scratch.hpp>
#include <tutti/transport/onlooker.hpp>
#include <tutti/transport/single_caller.hpp>
#include <tutti/transport/turns.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>

namespace tutti::detail {

/// What a communicator does with its time, whatever carries its messages: it runs steps to their end, in the order of
/// their calls, and keeps what outlives a call. Derived has rank() and, besides,
///   run_to_end(step, nanoseconds)   steps until done (true) or, unless negative, until time is over (false)
///   report(code, text) noexcept     the peers get an error instead of waiting for this rank
///   expect_usable(call)             throws unless messages can be sent and received
///   office()                        where those are: send, receive, withdraw, drop, and the queue in which they move
///   on
template <class Derived>
class driver : public turn_taking {
 public:
  /// How long a call may wait for its peers; 300 s unless TUTTI_TIMEOUT or this says otherwise.
  void timeout(double seconds) { timeout_ns_ = std::int64_t(seconds * 1e9); }
  double timeout() const { return double(timeout_ns_) * 1e-9; }
  /// send waits until its receiver has the message: shows programs that only work because messages are buffered.
  void block_sends(bool always) { sends_block_ = always; }
  bool sends_block() const { return sends_block_; }

  void look_around(const char* collective, int rank) const {
    for (onlooker* one = onlookers_; one != nullptr; one = one->next_onlooker) one->look(collective, rank);
  }

  /// What is pending on this communicator, and memory for it.
  operation_queue& queue() { return queue_; }
  pool& memory_pool() { return pool_; }
  /// Memory for accumulators that outlives the call.
  void* scratch(std::size_t bytes) { return scratch_.at_least(bytes); }

  /// Runs step() until it is done, after what was issued before it. Whatever it throws (an operator may) leaves this
  /// rank in the middle of an operation: the world is told, so that no peer waits for the rest of it.
  template <class Step>
  void drive(Step&& step) {
    drive_pending([&] {
      if (!queue_.empty()) {
        const progress made = queue_.advance();
        if (!queue_.empty()) return made;
      }
      return step();
    });
  }
  /// The same for a step that moves what is pending itself.
  template <class Step>
  void drive_pending(Step&& step) {
    guarded([&] { self().run_to_end(step, -1); });
  }
  /// For at most so long; true where it is done.
  template <class Step>
  bool drive_for(Step&& step, std::int64_t nanoseconds) {
    bool done = false;
    guarded([&] { done = self().run_to_end(step, nanoseconds); });
    return done;
  }
  /// The peers get an error instead of waiting for this rank.
  void abandon(errc code, const char* reason) noexcept {
    self().report(code, reason);  // lost where it was recorded before
    for (onlooker* one = onlookers_; one != nullptr; one = one->next_onlooker) one->heard(code, reason);
  }
  /// From here on for this communicator, and for the parts that will be made of it.
  void watch(onlooker& one) {
    one.next_onlooker = onlookers_;
    onlookers_ = &one;
  }

  // ---- messages between two ranks -----------------------------------------------------------------------

  /// send and recv: posts a message, which then moves with everything that waits.
  void post(parcel& one, bool sends) {
    self().expect_usable(sends ? "send" : "recv");
    in_turn([&] { sends ? self().office().send(one) : self().office().receive(one); });
    ring();
  }
  /// Waits for it, or for at most so many nanoseconds (negative: to the deadline); true where it is done.
  bool wait(parcel& one, bool sends, std::int64_t nanoseconds) {
    const auto step = [&] {
      const progress made = self().office().queue().advance();
      return one.done ? progress::done : made == progress::done ? progress::waiting : made;
    };
    const parcel_wait waiting(*this, one, sends);
    return nanoseconds < 0 ? (drive_pending(step), true) : drive_for(step, nanoseconds);
  }
  /// Takes it back; false where some of it has moved.
  bool withdraw(parcel& one) {
    return in_turn([&] { return one.done || self().office().withdraw(one); });
  }
  /// Its memory goes, done or not: after a failure.
  void drop(parcel& one) {
    in_turn([&] { self().office().drop(one); });
  }

  // ---- a second thread --------------------------------------------------------------------------------

  /// From here on, until it leaves, another thread moves what is pending (see progress_thread): both take turns.
  void let_help(bool helped) {
    if constexpr (requires { self().expect_threads(); })
      if (helped) self().expect_threads();
    queue_.of_several_threads(helped);
    self().office().queue().of_several_threads(helped);
    take_turns(helped);
  }
  /// Adds a call to what is pending.
  void enqueue(operation& one) {
    in_turn([&] { queue_.push(one); });
    ring();
  }
  /// Takes it out again.
  void forget(operation& one) {
    in_turn([&] {
      if (one.where == operation::stage::waiting_its_turn) queue_.remove(one);
    });
  }
  /// The helper's work: moves what is pending for a while, or waits for the bell.
  void help(std::int64_t nanoseconds) {
    const std::uint32_t heard = rings();
    const bool idle = drive_for(
        [this] {
          const progress calls = queue_.advance(), letters = self().office().queue().advance();
          if (calls == progress::done) return letters;
          return calls == progress::waiting && letters == progress::moved ? letters : calls;
        },
        nanoseconds);
    if (idle) await_ring(heard, nanoseconds);
  }

 protected:
  driver() = default;
  ~driver() = default;

  std::int64_t timeout_ns() const { return timeout_ns_; }
  /// A part of a communicator has its habits.
  void take_habits(const driver& parent) {
    timeout_ns_ = parent.timeout_ns_;
    sends_block_ = parent.sends_block_;
    onlookers_ = parent.onlookers_;
  }

  /// The message that is waited for, null for none, and whether this rank sends it.
  const parcel* waits_for() const { return waits_for_; }
  bool sends_parcel() const { return sends_parcel_; }

 private:
  /// What errors speak of while a message is waited for.
  class parcel_wait {
   public:
    parcel_wait(driver& comm, const parcel& one, bool sends) : comm_(comm), before_(comm.waits_for_) {
      comm.in_turn([&] {  // a thread that helps looks there, too
        comm.waits_for_ = &one;
        comm.sends_parcel_ = sends;
      });
    }
    parcel_wait(const parcel_wait&) = delete;
    parcel_wait& operator=(const parcel_wait&) = delete;
    ~parcel_wait() {
      comm_.in_turn([this] { comm_.waits_for_ = before_; });
    }

   private:
    driver& comm_;
    const parcel* before_;
  };

  Derived& self() { return static_cast<Derived&>(*this); }

  template <class Action>
  void guarded(Action&& action) {
#if !defined(NDEBUG)
    const single_caller::call in_call(caller_, self().rank(), has_helper());
#endif
#if TUTTI_EXCEPTIONS
    try {
      action();
    } catch (const error& thrown) {
      abandon(thrown.code(), thrown.what());
      throw;
    } catch (const std::exception& thrown) {
      abandon(errc::peer_failed, thrown.what());
      throw;
    } catch (...) {
      abandon(errc::peer_failed, "threw something that is no std::exception");
      throw;
    }
#else
    action();
#endif
  }

  std::int64_t timeout_ns_ = 0;
  bool sends_block_ = false;
  onlooker* onlookers_ = nullptr;
  class scratch scratch_;
  pool pool_;
  operation_queue queue_;
  const parcel* waits_for_ = nullptr;
  bool sends_parcel_ = false;
  single_caller caller_;
};

}  // namespace tutti::detail
