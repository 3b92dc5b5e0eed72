// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/held_mutex.hpp>
#include <tutti/transport/mpi_api.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include <pthread.h>
#include <sched.h>

namespace tutti::detail {

/// What ranks say to each other besides their data, and only when something takes long or goes wrong.
struct mpi_note {
  enum what : std::int32_t { failed, asks, tells };
  enum whereabouts : std::int32_t { not_there, entered, past, left };

  what kind = failed;
  whereabouts state = not_there;
  std::int32_t about = -1;  // failed: a rank of the world
  std::int32_t code = 0;
  std::int32_t from = -1;       // asks, tells: a rank of the group
  std::int32_t waits_for = -1;  // tells: another one
  std::uint64_t world = 0;
  std::uint64_t group = 0;
  std::uint64_t operation = 0;  // that is asked for; 0: none
  std::uint64_t current = 0;    // tells: where it is
  descriptor call{};            // tells: what it called as that operation
  char text[384] = {};
};

/// A communicator, as the notes know it.
class mpi_listener {
 public:
  virtual void asked(const mpi_note& question, mpi_note& answer) const = 0;
  virtual void told(const mpi_note& answer) = 0;
  virtual std::uint64_t group() const = 0;

  mpi_listener* next_listener = nullptr;

 protected:
  ~mpi_listener() = default;
};

/// What all communicators that came of one have in common on this rank: whether any rank has failed, and the notes,
/// which travel on an MPI communicator of their own. Who waits reads them, for all: the threads of a rank that use
/// several communicators take turns here.
class mpi_world {
 public:
  /// Keeps other threads away.
  class hold : public held_mutex {
   public:
    explicit hold(mpi_world& which) : held_mutex(&which.mutex_) {}
  };

  /// Collective.
  explicit mpi_world(MPI_Comm everybody) {
    expect_mpi(MPI_Comm_dup(everybody, &notes_), -1, "MPI_Comm_dup");
    MPI_Comm_set_errhandler(notes_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(notes_, &rank_);
    MPI_Comm_size(notes_, &size_);
    number_ = mix(std::uint64_t(now_ns()), reinterpret_cast<std::uintptr_t>(this));
    expect_mpi(MPI_Bcast(&number_, int(sizeof number_), MPI_BYTE, 0, notes_), -1, "MPI_Bcast");
  }
  mpi_world(const mpi_world&) = delete;
  mpi_world& operator=(const mpi_world&) = delete;
  ~mpi_world() {
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0) {  // what is on its way MPI may still own
      for (letter& one : on_their_way_) static_cast<void>(one.release());
      return;
    }
    while (reap()) sched_yield();
    for (letter& one : on_their_way_) {
      MPI_Request_free(&one->request);
      static_cast<void>(one.release());
    }
    if (!failed_) MPI_Comm_free(&notes_);
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// No other world of its ranks has or had it.
  std::uint64_t number() const { return number_; }

  void join(mpi_listener& one) {
    const hold mine(*this);
    one.next_listener = listeners_;
    listeners_ = &one;
  }
  void leave(mpi_listener& one) {
    const hold mine(*this);
    for (mpi_listener** link = &listeners_; *link != nullptr; link = &(*link)->next_listener)
      if (*link == &one) {
        *link = one.next_listener;
        return;
      }
  }

  bool failed() const { return failed_.load(std::memory_order_acquire); }
  const mpi_note& failure() const { return failure_; }
  /// The first failure counts; all ranks hear of it.
  void record(errc code, int about, const char* text) noexcept {
    const hold mine(*this);
    if (failed()) return;
    failure_.kind = mpi_note::failed;
    failure_.code = std::int32_t(code);
    failure_.about = about;
    std::snprintf(failure_.text, sizeof failure_.text, "%.*s", int(sizeof failure_.text) - 1, text);
    failed_.store(true, std::memory_order_release);
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0) return;
    for (int peer = 0; peer < size_; ++peer)
      if (peer != rank_) send(failure_, peer);
  }

  void send(const mpi_note& note, int to) noexcept {
    const hold mine(*this);
    letter one(new (std::nothrow) parcel{note, MPI_REQUEST_NULL});
    if (one == nullptr) return;
    one->note.world = number_;
    if (MPI_Isend(&one->note, int(sizeof(mpi_note)), MPI_BYTE, to, 0, notes_, &one->request) != MPI_SUCCESS) return;
    on_their_way_.push_back(static_cast<letter&&>(one));
  }

  /// Reads what has come.
  void poll() {
    const hold mine(*this);
    if (!on_their_way_.empty()) reap();
    for (;;) {
      int there = 0;
      MPI_Status from;
      if (MPI_Iprobe(MPI_ANY_SOURCE, 0, notes_, &there, &from) != MPI_SUCCESS || there == 0) return;
      mpi_note note;
      if (MPI_Recv(&note, int(sizeof note), MPI_BYTE, from.MPI_SOURCE, 0, notes_, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return;
      read(note, from.MPI_SOURCE);
    }
  }

  /// Collective: leaves when all ranks do, so that until then whoever asks gets an answer. Not after a failure.
  void close(std::int64_t nanoseconds) noexcept {
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0 || failed_) return;
    MPI_Request all = MPI_REQUEST_NULL;
    if (MPI_Ibarrier(notes_, &all) != MPI_SUCCESS) return;
    const std::int64_t begun = now_ns();
    for (int done = 0; done == 0; sched_yield()) {
      MPI_Test(&all, &done, MPI_STATUS_IGNORE);
      poll();
      if (failed_ || now_ns() - begun > nanoseconds) {
        if (done == 0) failed_ = true;  // then the communicator can't be freed
        return;
      }
    }
  }

 private:
  struct parcel {
    mpi_note note;
    MPI_Request request;
  };
  using letter = std::unique_ptr<parcel>;

  void read(const mpi_note& note, int from) {
    // An answer may come when all have gone: MPI then gives it to the next communicator that gets this one's number.
    if (note.world != number_) return;
    switch (note.kind) {
      case mpi_note::failed:
        if (!failed()) failure_ = note;
        failed_.store(true, std::memory_order_release);
        break;
      case mpi_note::asks: {
        mpi_note answer;
        answer.kind = mpi_note::tells;
        answer.group = note.group;
        answer.operation = note.operation;
        answer.state = mpi_note::left;
        for (const mpi_listener* one = listeners_; one != nullptr; one = one->next_listener)
          if (one->group() == note.group) one->asked(note, answer);
        // The asker knows this rank by its number in the group, and put that into the question.
        answer.from = note.about;
        send(answer, from);
        break;
      }
      case mpi_note::tells:
        for (mpi_listener* one = listeners_; one != nullptr; one = one->next_listener)
          if (one->group() == note.group) one->told(note);
        break;
    }
  }

  /// Lets go of what has left. True while there is more and time for it.
  bool reap() {
    std::size_t kept = 0;
    for (letter& one : on_their_way_) {
      int done = 0;
      MPI_Test(&one->request, &done, MPI_STATUS_IGNORE);
      if (done == 0) on_their_way_[kept++].swap(one);
    }
    on_their_way_.resize(kept);
    if (kept == 0) patience_ = 0;
    return kept != 0 && ++patience_ < 10000;
  }

  MPI_Comm notes_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::uint64_t number_ = 0;
  mpi_listener* listeners_ = nullptr;
  pthread_mutex_t mutex_ = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  std::atomic<bool> failed_{false};
  mpi_note failure_{};
  std::vector<letter> on_their_way_;
  int patience_ = 0;
};

}  // namespace tutti::detail
