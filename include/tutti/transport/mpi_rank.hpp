// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/mismatch.hpp>
#include <tutti/transport/mpi_api.hpp>
#include <tutti/transport/mpi_world.hpp>
#include <tutti/transport/part_of_call.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace tutti::detail {

/// One of our own MPI communicators, freed unless something failed or MPI is gone: messages may still be on their way
/// then, and Open MPI would take them for those of the next communicator.
class mpi_handle {
 public:
  explicit mpi_handle(MPI_Comm whose = MPI_COMM_NULL) : comm_(whose) {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  mpi_handle(mpi_handle&& other) noexcept : comm_(other.comm_) { other.comm_ = MPI_COMM_NULL; }
  mpi_handle& operator=(mpi_handle&&) = delete;
  ~mpi_handle() {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0 && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  MPI_Comm get() const { return comm_; }
  /// Something on it may never end: then MPI keeps it.
  void abandon() { comm_ = MPI_COMM_NULL; }

 private:
  MPI_Comm comm_;
};

/// A rank of an MPI communicator, and what it has to do with its peers' operations. Nothing here waits.
///
/// Operations. Each collective is operation i = 1, 2, ... on every rank. Its messages have a tag made of i and the hash
/// of the call: the messages of ranks that called different things never meet. Where a rank then waits for long it
/// asks, by a note, what its peer has called. So a right program pays nothing for the check. Words. Where an operation
/// needs to know that all have entered, or a number of everyone, each rank sends every other one its hash and a word.
class mpi_rank : public mpi_listener, public part_of_call {
 public:
  static constexpr bool load_store = false;
  /// MPI counts bytes in int.
  static constexpr std::size_t max_message() { return std::size_t(1) << 30; }

  mpi_rank(std::shared_ptr<mpi_world> world, mpi_handle&& own, std::uint64_t group, std::vector<int>&& members)
      : world_(static_cast<std::shared_ptr<mpi_world>&&>(world)),
        own_(static_cast<mpi_handle&&>(own)),
        group_(group),
        members_(static_cast<std::vector<int>&&>(members)) {
    if (own_.get() != MPI_COMM_NULL) {
      MPI_Comm_rank(own_.get(), &rank_);
      size_ = int(members_.size());
      void* highest = nullptr;
      int known = 0;
      MPI_Comm_get_attr(own_.get(), MPI_TAG_UB, static_cast<void*>(&highest), &known);
      const int most = known != 0 ? *static_cast<int*>(highest) : 32767;
      while (tags_ < (1 << 26) && tags_ * 8 - 1 <= most) tags_ *= 2;
      words_.resize(std::size_t(size_));
      receives_.resize(std::size_t(size_), MPI_REQUEST_NULL);
      sends_.resize(std::size_t(size_), MPI_REQUEST_NULL);
      heard_.resize(std::size_t(size_));
    }
    world_->join(*this);
  }
  mpi_rank(const mpi_rank&) = delete;
  mpi_rank& operator=(const mpi_rank&) = delete;

  /// -1 where this process is not in the group.
  int rank() const { return rank_; }
  /// 0 where this process is not in the group.
  int size() const { return size_; }
  bool active() const { return rank_ >= 0; }
  void expect_active(const char* call) const {
    if (!active()) fail(errc::bad_argument, -1, "%s on a communicator of a group that this process is not in", call);
  }
  /// Our own duplicate: nobody else's messages are on it.
  MPI_Comm native_handle() const { return own_.get(); }

  const std::shared_ptr<mpi_world>& world() const { return world_; }
  int world_rank(int member) const { return members_[std::size_t(member)]; }
  int world_rank() const { return active() ? world_rank(rank_) : -1; }
  std::uint64_t group() const override { return group_; }

  std::uint64_t operations_begun() const { return operation_; }

  // ---- operations -------------------------------------------------------------------------------------

  /// Enters the next operation.
  progress try_begin(const descriptor& call) {
    if (world_->failed()) {
      collective_ = call.collective;
      throw_recorded_failure();
    }
    const mpi_world::hold from_readers(*world_);  // who answers for this communicator may be another thread
    ++operation_;
    descriptor& mine = calls_[operation_ % remembered];
    note_call(call, mine);
    collective_ = mine.collective;
    tag_ = int(mix(mine.hash, operation_) & std::uint64_t(tags_ - 1));
    return progress::done;
  }
  /// The same for an operation in which every rank hears of every other, with a word of each.
  progress try_begin(const descriptor& call, std::uint64_t word) {
    for (MPI_Request& one : sends_)  // of the previous one
      if (!has_ended(one)) return progress::waiting;
    try_begin(call);
    const int tag = tags_ + int(operation_ & std::uint64_t(tags_ - 1));
    words_[std::size_t(rank_)] = {calls_[operation_ % remembered].hash, word};
    for (int peer = 0; peer < size_; ++peer) {
      if (peer == rank_) continue;
      expect_mpi(MPI_Irecv(&words_[std::size_t(peer)], int(sizeof(greeting)), MPI_BYTE, peer, tag, own_.get(),
                           &receives_[std::size_t(peer)]),
                 rank_, "MPI_Irecv");
    }
    for (int step = 1; step < size_; ++step) {
      const int peer = (rank_ + step) % size_;
      expect_mpi(MPI_Isend(&words_[std::size_t(rank_)], int(sizeof(greeting)), MPI_BYTE, peer, tag, own_.get(),
                           &sends_[std::size_t(peer)]),
                 rank_, "MPI_Isend");
    }
    return progress::done;
  }

  /// True once the peer has entered the current operation, which must be one with words; throws if it called something
  /// else.
  bool joined(int peer) {
    MPI_Request& one = receives_[std::size_t(peer)];
    if (!has_ended(one)) {
      awaits_.store(peer, std::memory_order_relaxed);
      return false;
    }
    if (words_[std::size_t(peer)].hash != words_[std::size_t(rank_)].hash) differs_ = peer;
    return differs_ < 0;
  }
  std::uint64_t payload_of(int peer) const { return words_[std::size_t(peer)].word; }

  // ---- messages ---------------------------------------------------------------------------------------

  /// A message under way: its memory is MPI's until it has ended.
  struct message {
    MPI_Request request = MPI_REQUEST_NULL;
    int from = -1;  // -1: it is sent
  };
  message post_send(int to, const void* data, std::size_t bytes) const {
    message one;
    expect_mpi(MPI_Isend(data, int(bytes), MPI_BYTE, to, tag_, own_.get(), &one.request), rank_, "MPI_Isend");
    return one;
  }
  message post_receive(int from, void* data, std::size_t bytes) const {
    message one{MPI_REQUEST_NULL, from};
    expect_mpi(MPI_Irecv(data, int(bytes), MPI_BYTE, from, tag_, own_.get(), &one.request), rank_, "MPI_Irecv");
    return one;
  }
  bool has_ended(message& one) {
    if (has_ended(one.request)) return true;
    if (one.from >= 0) awaits_.store(one.from, std::memory_order_relaxed);
    return false;
  }
  /// Lets go of it after a failure; true where MPI doesn't touch its memory any more.
  bool let_go(message& one) noexcept {
    if (one.request == MPI_REQUEST_NULL) return true;
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0) return false;
    const bool comes = one.from >= 0;
    if (ends_within(one.request, comes ? 1 : 1000)) return true;
    own_.abandon();
    if (comes) {
      MPI_Cancel(&one.request);
      if (ends_within(one.request, 1000)) return true;
    }
    MPI_Request_free(&one.request);
    return false;
  }

  // ---- notes ------------------------------------------------------------------------------------------

  void asked(const mpi_note& question, mpi_note& reply) const override {
    reply.current = operation_;
    reply.waits_for = awaits_;
    reply.state = mpi_note::not_there;
    if (question.operation == 0 || question.operation > operation_) return;
    reply.state = question.operation + remembered <= operation_ ? mpi_note::past : mpi_note::entered;
    if (reply.state == mpi_note::entered) reply.call = calls_[question.operation % remembered];
  }
  void told(const mpi_note& reply) override {
    if (reply.from < 0 || reply.from >= size_) return;
    heard_[std::size_t(reply.from)] = {reply.operation, reply.current, reply.state, reply.waits_for};
    if (reply.operation != operation_ || reply.state != mpi_note::entered) return;
    if (reply.call.hash == calls_[operation_ % remembered].hash) return;
    differs_ = reply.from;
    theirs_ = reply.call;
    knows_theirs_ = true;
  }

 protected:
  ~mpi_rank() {
    world_->leave(*this);
    // What peers sent before they heard of a failure may still arrive: MPI must not give the number of this
    // communicator to another one meanwhile.
    if (world_->failed()) own_.abandon();
    bool clean = true;
    for (auto* list : {&receives_, &sends_})
      for (MPI_Request& one : *list) {
        message left{one, list == &receives_ ? 0 : -1};
        clean = let_go(left) && clean;
        one = MPI_REQUEST_NULL;
      }
    if (!clean) new std::vector<greeting>(static_cast<std::vector<greeting>&&>(words_));  // MPI may still write there
  }

  bool has_ended(MPI_Request& one) const {
    if (one == MPI_REQUEST_NULL) return true;
    int done = 0;
    expect_mpi(MPI_Test(&one, &done, MPI_STATUS_IGNORE), rank_, "MPI_Test");
    return done != 0;
  }

  void ask(int peer, std::uint64_t operation) const {
    mpi_note question;
    question.kind = mpi_note::asks;
    question.group = group_;
    question.operation = operation;
    question.from = rank_;
    question.about = peer;
    world_->send(question, world_rank(peer));
  }
  /// What a peer answered about the current operation.
  struct answer {
    std::uint64_t operation = ~std::uint64_t(0), current = 0;
    mpi_note::whereabouts state = mpi_note::not_there;
    int waits_for = -1;
  };
  const answer* heard_of(int peer, std::uint64_t operation) const {
    const answer& one = heard_[std::size_t(peer)];
    return one.operation == operation ? &one : nullptr;
  }

  /// A peer that called something else, -1 while none is known; what it called once it said so.
  int differs() const { return differs_; }
  bool knows_what_differs() const { return knows_theirs_; }
  [[noreturn]] void throw_mismatch() const {
    char what[192] = "";
    if (knows_theirs_)
      describe_mismatch(calls_[operation_ % remembered], theirs_, called(differs()), what, sizeof what);
    else
      std::snprintf(what, sizeof what, "rank %d has called something else, and doesn't say what", called(differs()));
    char text[384];
    std::snprintf(text, sizeof text, "%s on rank %d: %s (operation %llu)", collective_, called(rank_), what,
                  static_cast<unsigned long long>(operation_));
    give_up(errc::mismatch, world_rank(), text);
  }
  [[noreturn]] void throw_recorded_failure() const {
    const mpi_note& line = world_->failure();
    fail(errc::peer_failed, line.about, "%s on rank %d: rank %d%s failed: %s", collective_, called(rank_), line.about,
         size_ == world_->size() ? "" : " of the world", line.text);
  }
  /// Throws, and makes the failure known so that no peer waits for this rank.
  [[noreturn]] void give_up(errc code, int about, const char* text) const {
    world_->record(code, about, text);
    fail(code, about, "%s", text);
  }

  const char* collective() const { return collective_; }
  int awaited() const { return awaits_; }
  /// Tags that nobody's operations use, for send and recv: as many, from here on.
  int first_free_tag() const { return 2 * tags_; }
  int free_tags() const { return tags_; }

 private:
  static constexpr std::uint64_t remembered = 16;
  struct greeting {
    std::uint64_t hash, word;
  };

  std::shared_ptr<mpi_world> world_;
  mpi_handle own_;
  std::uint64_t group_;
  std::vector<int> members_;
  int rank_ = -1, size_ = 0;
  int tags_ = 1;  // for messages, as many for words, and twice as many for send and recv
  int tag_ = 0;
  std::uint64_t operation_ = 0;
  const char* collective_ = "tutti";
  descriptor calls_[remembered];
  std::vector<greeting> words_;
  std::vector<MPI_Request> receives_, sends_;
  std::atomic<int> awaits_{-1};
  std::atomic<int> differs_{-1};
  bool knows_theirs_ = false;
  descriptor theirs_;
  std::vector<answer> heard_;
};

}  // namespace tutti::detail
