// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/engine/cursor.hpp>
#include <tutti/engine/schedule_run.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/transfer.hpp>

#include <cstddef>

namespace tutti::detail {

/// Runs a schedule by messages that are copied into mailboxes. step() never blocks: two cursors walk the same order of
/// transfers, one posting sends, one folding arrivals, each as far as data, mailboxes and the other cursor let it.
///   a send waits for the arrivals of its chunk in earlier rounds (they are what it sends)
///   an arrival waits for the sends of its chunk in earlier rounds, and for those of its blocks in its own round
///   where the schedule says so (they are what it overwrites)
/// Whoever is at the earliest (tick, chunk) waits only for ranks at that point or past it: no deadlock,
/// with one message of room between a pair.
template <class Communicator, class Collective, class Chunking, schedule Schedule, class Reduction>
class schedule_executor : private schedule_run<Communicator, Collective, Chunking, Schedule, Reduction> {
  using base = schedule_run<Communicator, Collective, Chunking, Schedule, Reduction>;
  using base::comm_, base::here_, base::where_, base::pieces, base::part_of;
  using typename base::memory;

 public:
  using base::widest;
  using typename base::element;

  schedule_executor(Communicator& comm, const call_signature& call, const Reduction& op, operands<element>&& given)
      : base(comm, call, op, static_cast<operands<element>&&>(given)) {}

  progress step() {
    const auto start = [this](int rounds, std::size_t chunks) {
      sends_ = {here_, rounds, chunks};
      arrivals_ = {here_, rounds, chunks};
    };
    if (!this->begun(start)) return progress::waiting;
    bool moved = false;
    while (send_one() || take_one()) moved = true;
    if (sends_.at_end() && arrivals_.at_end()) return progress::done;
    return moved ? progress::moved : progress::waiting;
  }

  void restart() { this->begin_again(); }

 private:
  bool send_one() {
    if (sends_.at_end()) return false;
    if (sends_.round() != 0 && !arrivals_.passed(sends_.tick() - 1, sends_.chunk())) return false;
    const transfer& step = sends_.current();
    const int count = pieces(step);
    const auto some = part_of(step, count, sends_.chunk(), sends_.piece());
    if (some.count != 0 && !comm_.try_send(step.peer, where_.read(step.travels, some.block, some.skipped),
                                           some.count * memory::bytes_of(step.travels)))
      return false;
    sends_.advance(count);
    return true;
  }

  bool take_one() {
    if (arrivals_.at_end()) return false;
    const transfer& step = arrivals_.current();
    if (arrivals_.round() != 0 && !sends_.passed(arrivals_.tick() - 1, arrivals_.chunk())) return false;
    const int count = pieces(step);
    const auto some = part_of(step, count, arrivals_.chunk(), arrivals_.piece());
    if (step.after_sends && !have_left(count == 1 ? step.where : block_range{some.block})) return false;
    if (some.count != 0) {
      if (step.peer == here_.rank) {
        this->place_own(step, some);
      } else {
        const std::byte* lent = comm_.arrived(step.peer);
        if (lent == nullptr) return false;
        this->place_arrival(step, count, some, lent);
        comm_.release(step.peer);
      }
    }
    arrivals_.advance(count);
    return true;
  }

  /// This round's sends of these blocks. Only theirs: where many go to one peer, later ones may be held up until that
  /// peer, and so this rank, has taken what has come.
  bool have_left(block_range some) const {
    if (sends_.at_end()) return true;
    return sends_.passed(arrivals_.tick(), arrivals_.chunk(), some, pieces(sends_.current()));
  }

  cursor<Schedule, true> sends_;
  cursor<Schedule, false> arrivals_;
};

}  // namespace tutti::detail
