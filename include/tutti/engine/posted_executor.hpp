// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/engine/cursor.hpp>
#include <tutti/engine/schedule_run.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/transfer.hpp>

#include <cstddef>
#include <type_traits>

namespace tutti::detail {

/// A queue of at most so many entries, in a pool.
template <class Entry>
class posted_queue {
 public:
  void make(pool& from, std::size_t most) {
    first_ = count_ = 0;
    if (entries_.size() < most) entries_ = pooled_array<Entry>(from, most);
  }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == entries_.size(); }
  std::size_t count() const { return count_; }
  Entry& operator[](std::size_t i) { return entries_[(first_ + i) % entries_.size()]; }
  const Entry& operator[](std::size_t i) const { return entries_[(first_ + i) % entries_.size()]; }
  Entry& push() {
    Entry& fresh = (*this)[count_++];
    fresh = Entry{};
    return fresh;
  }
  void pop() {
    first_ = (first_ + 1) % entries_.size();
    --count_;
  }
  Entry& newest() { return (*this)[count_ - 1]; }
  void pop_newest() { --count_; }

 private:
  pooled_array<Entry> entries_;
  std::size_t first_ = 0, count_ = 0;
};

/// Runs a schedule by messages that go straight from memory to memory, where a transport takes sends and receives that
/// end later. step() never blocks. Three cursors walk the one order of transfers: one posts sends, one posts receives
/// ahead of time, one places what has arrived.
///   a send is posted once the arrivals of its chunk in earlier rounds have their places (they are what it sends)
///   a receive of finished elements goes to its place at once where nothing that is under way still needs that memory;
///   any other goes to memory of its own and is placed when its turn has come and the sends that it overwrites have
///   left
/// As many messages may be under way as a round has, and some more, so that the next round's are there in time.
/// Whoever is at the earliest (tick, chunk) waits only for ranks at that point or past it: no deadlock.
template <class Communicator, class Collective, class Chunking, schedule Schedule, class Reduction>
class posted_executor : private schedule_run<Communicator, Collective, Chunking, Schedule, Reduction> {
  using base = schedule_run<Communicator, Collective, Chunking, Schedule, Reduction>;
  using base::comm_, base::here_, base::where_, base::pieces, base::part_of;
  using typename base::memory, typename base::part;
  using message = typename Communicator::message;

 public:
  using base::widest;
  using typename base::element;

  posted_executor(Communicator& comm, const call_signature& call, const Reduction& op, operands<element>&& given)
      : base(comm, call, op, static_cast<operands<element>&&>(given)) {}
  posted_executor(const posted_executor&) = delete;
  posted_executor& operator=(const posted_executor&) = delete;
  /// After an error messages may still be under way: their memory is given back only where the transport is done with
  /// it. The newest receive goes first: what comes meanwhile meets the oldest one that is left, and that must be its
  /// own.
  ~posted_executor() {
    for (; !outgoing_.empty(); outgoing_.pop()) comm_.let_go(outgoing_[0].posted);
    for (; !incoming_.empty(); incoming_.pop_newest())
      if (comm_.let_go(incoming_.newest().posted) && incoming_.newest().room != nullptr)
        comm_.memory_pool().give_back(incoming_.newest().room);
  }

  progress step() {
    if (!this->begun([this](int rounds, std::size_t chunks) { start(rounds, chunks); })) return progress::waiting;
    bool moved = false;
    for (bool more = true; more; moved = moved || more) {
      more = false;
      while (post_send()) more = true;
      while (post_receive()) more = true;
      while (place_one()) more = true;
      if (reap_sends()) more = true;
    }
    if (sends_.at_end() && arrivals_.at_end() && outgoing_.empty()) return progress::done;
    return moved ? progress::moved : progress::waiting;
  }
  void restart() { this->begin_again(); }

 private:
  static constexpr std::size_t ahead = 8;  // messages, of any round

  struct outgoing_message {
    message posted{};
    std::size_t tick = 0, chunk = 0;
    block_range where{};
    bool ended = false;
  };
  struct incoming_message {
    message posted{};
    void* room = nullptr;  // null: it goes to its place
    std::size_t chunk = 0;
    block_range where{};
  };

  void start(int rounds, std::size_t chunks) {
    sends_ = {here_, rounds, chunks};
    receives_ = {here_, rounds, chunks};
    arrivals_ = {here_, rounds, chunks};
    own_steps_ = 0;
    std::size_t most_sent = 0, most_received = 0;
    for (int round = 0; round < rounds; ++round) {
      std::size_t sent = 0, received = 0;
      const int transfers = Schedule::transfers(here_, round);
      for (int index = 0; index < transfers; ++index) {
        const transfer one = Schedule::at(here_, round, index);
        if (one.where.count != 0) (one.what == action::send ? sent : received) += std::size_t(pieces(one));
      }
      most_sent = sent > most_sent ? sent : most_sent;
      most_received = received > most_received ? received : most_received;
    }
    outgoing_.make(comm_.memory_pool(), most_sent + ahead);
    incoming_.make(comm_.memory_pool(), most_received + ahead);
  }

  static block_range blocks_of(const transfer& step, int count, int piece) {
    return count == 1 ? step.where : block_range{step.where.first + piece, 1};
  }
  static bool overlap(block_range one, block_range other) { return one.first < other.end() && other.first < one.end(); }

  bool post_send() {
    if (sends_.at_end() || outgoing_.full()) return false;
    if (sends_.round() != 0 && !arrivals_.passed(sends_.tick() - 1, sends_.chunk())) return false;
    const transfer& step = sends_.current();
    const int count = pieces(step);
    const part some = part_of(step, count, sends_.chunk(), sends_.piece());
    if (some.count != 0) {
      outgoing_message& one = outgoing_.push();
      one.tick = sends_.tick();
      one.chunk = sends_.chunk();
      one.where = blocks_of(step, count, sends_.piece());
      one.posted = comm_.post_send(step.peer, where_.read(step.travels, some.block, some.skipped),
                                   some.count * memory::bytes_of(step.travels));
    }
    sends_.advance(count);
    return true;
  }

  bool reap_sends() {
    bool any = false;
    for (std::size_t i = 0; i < outgoing_.count(); ++i) {
      outgoing_message& one = outgoing_[i];
      if (!one.ended && comm_.has_ended(one.posted)) one.ended = any = true;
    }
    while (!outgoing_.empty() && outgoing_[0].ended) outgoing_.pop();
    return any;
  }

  bool post_receive() {
    if (receives_.at_end() || incoming_.full()) return false;
    const transfer& step = receives_.current();
    const int count = pieces(step);
    const part some = part_of(step, count, receives_.chunk(), receives_.piece());
    if (some.count != 0 && step.peer == here_.rank) {
      ++own_steps_;
    } else if (some.count != 0) {
      const block_range blocks = blocks_of(step, count, receives_.piece());
      const std::size_t bytes = some.count * memory::bytes_of(step.travels);
      const bool straight = goes_straight(step, count);
      if (straight && !is_free(blocks)) return false;  // soon it is
      incoming_message& one = incoming_.push();
      one.chunk = receives_.chunk();
      one.where = blocks;
      void* to =
          straight ? where_.write(step.becomes, some.block, some.skipped) : one.room = comm_.memory_pool().take(bytes);
      one.posted = comm_.post_receive(step.peer, to, bytes);
    }
    receives_.advance(count);
    return true;
  }
  /// What arrives is what stays. Where the same round's sends must leave first, waiting for them could be waiting for
  /// each other.
  bool goes_straight(const transfer& step, int count) const {
    return step.what == action::store && step.travels == step.becomes && !step.after_sends &&
           (count != 1 || step.where.count == 1 || where_.side_by_side(step.becomes));
  }
  /// Nobody needs what the blocks of the next receive hold: not the sends of earlier rounds, not what is placed before.
  bool is_free(block_range blocks) const {
    if (receives_.round() != 0 && !sends_.passed(receives_.tick() - 1, receives_.chunk())) return false;
    for (std::size_t i = 0; i < incoming_.count(); ++i)
      if (incoming_[i].chunk == receives_.chunk() && overlap(incoming_[i].where, blocks)) return false;
    return own_steps_ == 0 && have_left(receives_, blocks, false);
  }

  /// The posted sends of these blocks, and of this cursor's chunk, in earlier ticks, and in its own where asked.
  bool have_left(const cursor<Schedule, false>& at, block_range blocks, bool in_its_own) const {
    for (std::size_t i = 0; i < outgoing_.count(); ++i) {
      const outgoing_message& one = outgoing_[i];
      if (!one.ended && one.chunk == at.chunk() && (one.tick < at.tick() || in_its_own) && overlap(one.where, blocks))
        return false;
    }
    return true;
  }

  bool place_one() {
    if (arrivals_.at_end()) return false;
    const transfer& step = arrivals_.current();
    const int count = pieces(step);
    const part some = part_of(step, count, arrivals_.chunk(), arrivals_.piece());
    if (some.count != 0) {
      const block_range blocks = blocks_of(step, count, arrivals_.piece());
      const bool local = step.peer == here_.rank;
      if (local ? own_steps_ == 0 : incoming_.empty() || !comm_.has_ended(incoming_[0].posted)) return false;
      if (local || incoming_[0].room != nullptr) {
        if (arrivals_.round() != 0 && !sends_.passed(arrivals_.tick() - 1, arrivals_.chunk())) return false;
        if (step.after_sends && !sends_posted(blocks)) return false;
        if (!have_left(arrivals_, blocks, step.after_sends)) return false;
        if (local) {
          this->place_own(step, some);
          --own_steps_;
        } else {
          this->place_arrival(step, count, some, static_cast<const std::byte*>(incoming_[0].room));
          comm_.memory_pool().give_back(incoming_[0].room);
        }
      }
      if (!local) incoming_.pop();
    }
    arrivals_.advance(count);
    return true;
  }
  /// This round's sends of these blocks are at least on their way.
  bool sends_posted(block_range blocks) const {
    if (sends_.at_end()) return true;
    return sends_.passed(arrivals_.tick(), arrivals_.chunk(), blocks, pieces(sends_.current()));
  }

  cursor<Schedule, true> sends_;
  cursor<Schedule, false> receives_, arrivals_;
  posted_queue<outgoing_message> outgoing_;
  posted_queue<incoming_message> incoming_;
  std::size_t own_steps_ = 0;  // that the posting of receives has gone past, but not yet done
};

}  // namespace tutti::detail
