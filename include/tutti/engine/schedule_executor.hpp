// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/partition.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/engine/cursor.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/transfer.hpp>

#include <cstddef>

namespace tutti::detail {

/// Runs a schedule by messages. step() never blocks: two cursors walk the same order of transfers, one
/// posting sends, one folding arrivals, each as far as data, mailboxes and the other cursor let it.
///   a send waits for the arrivals of its chunk in earlier rounds (they are what it sends)
///   an arrival waits for the sends of its chunk in earlier rounds, and of its own round where the schedule
///   says so (they are what it overwrites)
/// Whoever is at the earliest (tick, chunk) waits only for ranks at that point or past it: no deadlock,
/// with one message of room between a pair.
template <class Communicator, schedule Schedule, class Reduction>
class schedule_executor {
 public:
  using element = typename Reduction::element;
  using accumulator = typename Reduction::accumulator;
  using memory = storage<element, accumulator>;

  schedule_executor(Communicator& comm, const descriptor& call, const Reduction& op, const memory& where,
                    std::size_t chunk, int root)
      : comm_(comm),
        call_(call),
        loops_{op, comm.size()},
        where_(where),
        blocks_(where.count, Schedule::blocks(comm.size())),
        chunk_(chunk),
        chunks_(blocks_.largest() <= chunk ? 1 : (blocks_.largest() + chunk - 1) / chunk),
        rank_(comm.rank()),
        sends_({comm.rank(), comm.size(), root}, Schedule::rounds(comm.size(), root), chunks_),
        arrivals_({comm.rank(), comm.size(), root}, Schedule::rounds(comm.size(), root), chunks_) {}

  progress step() {
    if (!begun_) {
      if (comm_.try_begin(call_) != progress::done) return progress::waiting;
      begun_ = true;
    }
    bool moved = false;
    while (send_one() || take_one()) moved = true;
    if (sends_.at_end() && arrivals_.at_end()) return progress::done;
    return moved ? progress::moved : progress::waiting;
  }

 private:
  /// A transfer of several blocks travels as one message where that fits, else block by block.
  int pieces(const transfer& step) const {
    if (step.where.count == 1) return 1;
    const std::size_t bytes = blocks_.span(step.where.first, step.where.count).count * memory::bytes_of(step.travels);
    return chunks_ == 1 && bytes <= Communicator::max_message() ? 1 : step.where.count;
  }
  range elements(const transfer& step, int pieces, std::size_t chunk, int piece) const {
    if (pieces == 1 && step.where.count > 1) return blocks_.span(step.where.first, step.where.count);
    const range block = blocks_[step.where.first + piece];
    const std::size_t skipped = chunk * chunk_ < block.count ? chunk * chunk_ : block.count;
    const std::size_t rest = block.count - skipped;
    return {block.first + skipped, rest < chunk_ ? rest : chunk_};
  }

  bool send_one() {
    if (sends_.at_end()) return false;
    if (sends_.round() != 0 && !arrivals_.passed(sends_.tick() - 1, sends_.chunk())) return false;
    const transfer& step = sends_.current();
    const int count = pieces(step);
    const range part = elements(step, count, sends_.chunk(), sends_.piece());
    if (part.count != 0 &&
        !comm_.try_send(step.peer, where_.read(step.travels, part.first), part.count * memory::bytes_of(step.travels)))
      return false;
    sends_.advance(count);
    return true;
  }

  bool take_one() {
    if (arrivals_.at_end()) return false;
    const transfer& step = arrivals_.current();
    if (arrivals_.round() != 0 && !sends_.passed(arrivals_.tick() - 1, arrivals_.chunk())) return false;
    if (step.after_sends && !sends_.passed(arrivals_.tick(), arrivals_.chunk())) return false;
    const int count = pieces(step);
    const range part = elements(step, count, arrivals_.chunk(), arrivals_.piece());
    if (part.count != 0) {
      if (step.peer == rank_) {
        apply(step, where_.read(step.travels, part.first), part);
      } else {
        const void* lent = comm_.arrived(step.peer);
        if (lent == nullptr) return false;
        apply(step, lent, part);
        comm_.release(step.peer);
      }
    }
    arrivals_.advance(count);
    return true;
  }

  void apply(const transfer& step, const void* arriving, const range& part) const {
    void* out = where_.write(step.becomes, part.first);
    if (step.what == action::store) {
      loops_.store(arriving, step.travels, out, step.becomes, part.count);
      return;
    }
    const void* held = where_.read(step.held, part.first);
    if (step.what == action::fold_left)
      loops_.combine(arriving, step.travels, held, step.held, out, step.becomes, part.count);
    else
      loops_.combine(held, step.held, arriving, step.travels, out, step.becomes, part.count);
  }

  Communicator& comm_;
  descriptor call_;
  fold_loops<Reduction> loops_;
  memory where_;
  partition blocks_;
  std::size_t chunk_, chunks_;
  int rank_;
  cursor<Schedule, true> sends_;
  cursor<Schedule, false> arrivals_;
  bool begun_ = false;
};

}  // namespace tutti::detail
