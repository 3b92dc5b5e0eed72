// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/progress.hpp>

#include <cstdint>
#include <exception>

namespace tutti::detail {

/// One call that outlives its statement: a request's, or a step of a plan.
class operation {
 public:
  enum class stage { idle, waiting_its_turn, done, failed };

  /// Moves it on as far as that goes without blocking.
  virtual progress step() = 0;
  /// Makes it ready to run once more.
  virtual void restart() = 0;
  /// Runs it once more, from begin to end, after what is pending.
  virtual void run_again() = 0;
  /// Runs it to its end on its communicator, or for at most so many nanoseconds; true where it has ended.
  /// Throws what the operation threw.
  virtual bool finish(std::int64_t nanoseconds) = 0;
  /// Enters its communicator's queue.
  virtual void enqueue() = 0;
  /// How many seconds its communicator waits without progress.
  virtual double patience() const = 0;
  /// True where it has ended, or its peers can't have seen it: then it leaves without a trace.
  virtual bool take_back() = 0;
  /// Leaves the queue, done or not, and gives its memory back.
  virtual void dispose() noexcept = 0;
  /// Tells the peers that this rank takes no further part.
  virtual void abandon(errc code, const char* reason) noexcept = 0;

  bool ended() const { return where == stage::done || where == stage::failed; }

  stage where = stage::idle;
  operation* next = nullptr;     // in its queue
  operation* sibling = nullptr;  // of the same recorder
  // What was moved into the call and isn't its value; goes with the operation.
  void* held = nullptr;
  void (*drop_held)(void*) = nullptr;
#if TUTTI_EXCEPTIONS
  std::exception_ptr failure{};
#endif

 protected:
  operation() = default;
  operation(const operation&) = delete;
  ~operation() {
    if (held != nullptr) drop_held(held);
  }
};

/// The pending calls of one communicator, in the order in which they were issued: the first one moves, the others
/// wait for it. All queues of a thread know each other, so that who waits on one communicator moves the others too.
class operation_queue {
 public:
  operation_queue() = default;
  operation_queue(const operation_queue&) = delete;
  operation_queue& operator=(const operation_queue&) = delete;
  ~operation_queue() {
    while (first_ != nullptr) remove(*first_);
  }

  bool empty() const { return first_ == nullptr; }
  /// Several threads take turns with it: it is in no thread's list.
  void of_several_threads(bool several) { several_threads_ = several; }

  void push(operation& one) {
    one.where = operation::stage::waiting_its_turn;
    one.next = nullptr;
    if (first_ == nullptr) {
      first_ = &one;
      if (!several_threads_) {
        neighbour_ = busy();
        busy() = this;
      }
    } else {
      last_->next = &one;
    }
    last_ = &one;
  }

  /// Steps the first one, and those behind it as they become first. done where none is left.
  progress advance() {
    progress result = progress::waiting;
    while (first_ != nullptr) {
      operation& one = *first_;
      const progress made = step(one);
      if (made != progress::waiting) result = progress::moved;
      if (made != progress::done) return result;
      one.where = operation::stage::done;
      pop();
    }
    return progress::done;
  }

  /// Takes it out, wherever it stands.
  void remove(operation& one) {
    if (&one == first_) return pop();
    for (operation* before = first_; before != nullptr; before = before->next)
      if (before->next == &one) {
        before->next = one.next;
        if (last_ == &one) last_ = before;
        return;
      }
  }

  /// Moves whatever else this thread has pending. True where there is anything.
  bool advance_others() {
    bool any = false;
    for (operation_queue* other = busy(); other != nullptr;) {
      operation_queue* const next = other->neighbour_;  // before it leaves the list
      if (other != this) {
        any = true;
        other->advance_for_others();
      }
      other = next;
    }
    return any;
  }

 private:
  /// What goes wrong here is not the caller's: the operation keeps it.
  void advance_for_others() {
#if TUTTI_EXCEPTIONS
    try {
      advance();
    } catch (...) {
    }
#else
    advance();
#endif
  }
  static operation_queue*& busy() {
    static thread_local operation_queue* first = nullptr;
    return first;
  }
#if TUTTI_EXCEPTIONS
  /// Its peers hear of it, whoever moved it; whoever waits for it gets what it threw.
  void fail(operation& one, errc code, const char* reason) {
    one.failure = std::current_exception();
    one.where = operation::stage::failed;
    pop();
    one.abandon(code, reason);
  }
#endif
  progress step(operation& one) {
#if TUTTI_EXCEPTIONS
    try {
      return one.step();
    } catch (const error& thrown) {
      fail(one, thrown.code(), thrown.what());
      throw;
    } catch (const std::exception& thrown) {
      fail(one, errc::peer_failed, thrown.what());
      throw;
    } catch (...) {
      fail(one, errc::peer_failed, "threw something that is no std::exception");
      throw;
    }
#else
    return one.step();
#endif
  }
  void pop() {
    first_ = first_->next;
    if (first_ != nullptr) return;
    last_ = nullptr;
    if (several_threads_) return;
    for (operation_queue** link = &busy(); *link != nullptr; link = &(*link)->neighbour_)
      if (*link == this) {
        *link = neighbour_;
        return;
      }
  }

  operation* first_ = nullptr;
  operation* last_ = nullptr;
  operation_queue* neighbour_ = nullptr;
  bool several_threads_ = false;
};

}  // namespace tutti::detail
