// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>

#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace tutti::detail {

/// An executor that outlives its call, in the communicator's pool.
template <class Communicator, class Executor>
class kept_operation final : public operation {
 public:
  template <class... Arguments>
  static operation* make(Communicator& comm, Arguments&&... arguments) {
    void* room = comm.memory_pool().take(sizeof(kept_operation));
#if TUTTI_EXCEPTIONS
    try {
      return new (room) kept_operation(comm, static_cast<Arguments&&>(arguments)...);
    } catch (...) {
      comm.memory_pool().give_back(room);
      throw;
    }
#else
    return new (room) kept_operation(comm, static_cast<Arguments&&>(arguments)...);
#endif
  }

  progress step() override { return run_.step(); }
  void restart() override {
    run_.restart();
    where = stage::idle;
  }
  void run_again() override {
    run_.restart();
    comm_.drive([this] { return run_.step(); });
  }
  bool finish(std::int64_t nanoseconds) override {
    bool over = false;
    const auto until_ended = [&] {
      progress made = progress::done;
      if (where == stage::waiting_its_turn) made = comm_.queue().advance();
      over = where != stage::waiting_its_turn;
#if TUTTI_EXCEPTIONS
      if (where == stage::failed) std::rethrow_exception(failure);
#endif
      return over ? progress::done : made == progress::done ? progress::waiting : made;
    };
    if (nanoseconds < 0)
      comm_.drive_pending(until_ended);
    else
      comm_.drive_for(until_ended, nanoseconds);
    return over;
  }
  double patience() const override { return comm_.timeout(); }
  bool take_back() override {
    return comm_.in_turn([this] { return where != stage::waiting_its_turn; });
  }
  void enqueue() override { comm_.enqueue(*this); }
  void dispose() noexcept override {
    comm_.forget(*this);
    Communicator& comm = comm_;
    this->~kept_operation();
    comm.memory_pool().give_back(this);
  }
  void abandon(errc code, const char* reason) noexcept override { comm_.abandon(code, reason); }

 private:
  template <class... Arguments>
  explicit kept_operation(Communicator& comm, Arguments&&... arguments)
      : comm_(comm), run_(static_cast<Arguments&&>(arguments)...) {}
  ~kept_operation() = default;

  Communicator& comm_;
  Executor run_;
};

/// Stands in for a communicator: what is called on it is kept instead of run, in order.
template <class Communicator>
class recorder {
 public:
  using tutti_recorder = recorder;
  static constexpr bool load_store = Communicator::load_store;

  explicit recorder(Communicator& comm) : comm_(comm) {}
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder() {
    while (first_ != nullptr) take()->dispose();
  }

  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }
  Communicator& base() const { return comm_; }

  template <class Executor, class... Arguments>
  void keep(Arguments&&... arguments) {
    keep_on<Executor>(comm_, static_cast<Arguments&&>(arguments)...);
  }
  /// To be run on another communicator than the one that was called.
  template <class Executor, class Road, class... Arguments>
  void keep_on(Road& road, Arguments&&... arguments) {
    operation* one = kept_operation<Road, Executor>::make(road, static_cast<Arguments&&>(arguments)...);
    (first_ == nullptr ? first_ : last_->sibling) = one;
    last_ = one;
  }
  /// The first that was kept, out of the list; null where none is left.
  operation* take() {
    operation* one = first_;
    if (one != nullptr) first_ = std::exchange(one->sibling, nullptr);
    return one;
  }
  /// All of them, linked as siblings.
  operation* take_all() { return std::exchange(first_, nullptr); }

 private:
  Communicator& comm_;
  operation* first_ = nullptr;
  operation* last_ = nullptr;
};

}  // namespace tutti::detail
