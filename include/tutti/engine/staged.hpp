// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/engine/record.hpp>

#include <cstddef>
#include <utility>

namespace tutti::detail {

/// Work that needs nobody else, as a stage.
template <class Work>
class local_executor {
 public:
  explicit local_executor(Work work) : work_(std::move(work)) {}
  progress step() {
    work_();
    return progress::done;
  }
  void restart() {}

 private:
  Work work_;
};

/// Enters the whole call on its own communicator: who called something else there finds out.
template <class Communicator>
class entry_executor {
 public:
  entry_executor(Communicator& comm, const descriptor& call) : comm_(comm), call_(call) {}
  progress step() { return comm_.try_begin(call_); }
  void restart() {}

 private:
  Communicator& comm_;
  descriptor call_;
};

/// An executor whose operations are stages of a call.
template <class Communicator, class Executor>
class stage_executor {
 public:
  template <class... Arguments>
  stage_executor(Communicator& comm, const descriptor& whole, Arguments&&... arguments)
      : comm_(comm), whole_(whole), run_(static_cast<Arguments&&>(arguments)...) {}
  progress step() {
    comm_.stand_for(&whole_);
    const standing until_end{comm_};
    return run_.step();
  }
  void restart() { run_.restart(); }

 private:
  struct standing {
    Communicator& comm;
    ~standing() { comm.stand_for(nullptr); }
  };

  Communicator& comm_;
  descriptor whole_;
  Executor run_;
};

/// Keeps what is called on it as stages of a call.
template <class Communicator>
class stage_recorder : public recorder<Communicator> {
 public:
  stage_recorder(Communicator& comm, const descriptor& whole) : recorder<Communicator>(comm), whole_(whole) {}

  template <class Executor, class... Arguments>
  void keep(Arguments&&... arguments) {  // nothing that its peers hear of
    recorder<Communicator>::template keep<Executor>(static_cast<Arguments&&>(arguments)...);
  }
  template <class Executor, class Road, class... Arguments>
  void keep_on(Road& road, Arguments&&... arguments) {
    recorder<Communicator>::template keep_on<stage_executor<Road, Executor>>(road, road, whole_,
                                                                             static_cast<Arguments&&>(arguments)...);
  }

 private:
  const descriptor& whole_;
};

/// Operations of several communicators one after the other, and memory that they share.
class stages_of_operations {
 public:
  /// The first stage enters the call.
  template <class Communicator>
  stages_of_operations(Communicator& comm, const descriptor& whole) : whole_(whole) {
    recorder<Communicator> book(comm);
    if constexpr (routing_transport<Communicator>)
      comm.one_host() ? enter(book, comm.near()) : enter(book, comm.far());
    else
      enter(book, comm);
    append(book);
  }
  stages_of_operations(stages_of_operations&& other) noexcept
      : whole_(other.whole_),
        first_(std::exchange(other.first_, nullptr)),
        last_(std::exchange(other.last_, nullptr)),
        memory_{std::move(other.memory_[0]), std::move(other.memory_[1])} {}
  stages_of_operations& operator=(stages_of_operations&&) = delete;
  ~stages_of_operations() {
    while (first_ != nullptr) std::exchange(first_, first_->sibling)->dispose();
  }

  /// What record(recorder) calls on its argument becomes the next stage.
  template <class Communicator, class Record>
  void add(Communicator& comm, Record&& record) {
    stage_recorder<Communicator> book(comm, whole_);
    record(book);
    append(book);
  }
  template <class Communicator, class Work>
  void add_local(Communicator& comm, Work work) {
    add(comm, [&](auto& book) { book.template keep<local_executor<Work>>(std::move(work)); });
  }
  /// Stays until the last stage has ended; at most twice.
  void* keep_memory(pool& from, std::size_t bytes) {
    pooled_array<std::byte>& room = memory_[memory_[0].empty() ? 0 : 1];
    room = pooled_array<std::byte>(from, bytes);
    return room.data();
  }

  operation* first() const { return first_; }

 private:
  template <class Book, class Road>
  void enter(Book& book, Road& road) {
    book.template keep_on<entry_executor<Road>>(road, road, whole_);
  }
  template <class Book>
  void append(Book& book) {
    while (operation* one = book.take()) {
      (first_ == nullptr ? first_ : last_->sibling) = one;
      last_ = one;
    }
  }

  descriptor whole_;
  operation* first_ = nullptr;
  operation* last_ = nullptr;
  pooled_array<std::byte> memory_[2];
};

/// The stages of a call that is kept.
class staged_executor {
 public:
  explicit staged_executor(stages_of_operations&& stages) : stages_(std::move(stages)), current_(stages_.first()) {}

  progress step() {
    bool moved = false;
    for (; current_ != nullptr; current_ = current_->sibling, moved = true) {
      const progress made = current_->step();
      if (made == progress::done) continue;
      return moved ? progress::moved : made;
    }
    return progress::done;
  }
  void restart() {
    for (operation* one = stages_.first(); one != nullptr; one = one->sibling) one->restart();
    current_ = stages_.first();
  }

 private:
  stages_of_operations stages_;
  operation* current_;
};

/// Runs the stages now, each on its own communicator, which knows best how to wait and whom for; a recorder keeps them.
template <class Communicator>
void run_stages(Communicator& comm, stages_of_operations&& stages) {
  if constexpr (requires { typename Communicator::tutti_recorder; }) {
    comm.template keep<staged_executor>(std::move(stages));
  } else if (comm.has_helper()) {  // who may move things only in turn with this thread
    staged_executor run(std::move(stages));
    comm.drive([&run] { return run.step(); });
  } else {
    comm.drive([] { return progress::done; });  // what was issued before
    for (operation* one = stages.first(); one != nullptr; one = one->sibling) one->run_again();
  }
}

}  // namespace tutti::detail
