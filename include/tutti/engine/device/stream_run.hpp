// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/chunking.hpp>
#include <tutti/engine/cursor.hpp>
#include <tutti/engine/device/device_fold.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/obligation.hpp>
#include <tutti/schedule/transfer.hpp>
#include <tutti/transport/cuda_api.hpp>
#include <tutti/transport/nccl_api.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

namespace tutti::detail {

/// Enqueues a schedule on a stream: each tick's sends and receives are one group of NCCL's, then its arrivals take
/// their places by kernels, in the order of the schedule. A tick holds chunk c in round t - c for all chunks under way,
/// so that the next chunk's messages travel beside this one's. What arrives goes to its place at once where the
/// schedule stores it as it is and neither this tick's sends nor its other arrivals use that memory; else through room
/// of this call's own.
template <class Communicator, class Collective, class Chunking, schedule Schedule, class Reduction>
class stream_run {
 public:
  using element = typename Reduction::element;
  using accumulator = typename Reduction::accumulator;
  using memory = storage<element, accumulator>;

  stream_run(Communicator& comm, memory& where, const Reduction& op, tutti::place here)
      : comm_(comm),
        where_(where),
        op_(op),
        here_(here),
        loops_(op_, contributions<Collective>(here.rank, here.size), comm.stream(), here.rank) {
    const std::size_t block = where_.largest();
    chunk_ = Chunking::elements(block, widest);
    chunks_ = block <= chunk_ ? 1 : (block + chunk_ - 1) / chunk_;
    rounds_ = Schedule::rounds(here_.size, here_.root);
  }

  void run() {
    const operands<element>& given = where_.given();
    accumulator* room = nullptr;
    if constexpr (Collective::reduces && std::is_same_v<element, accumulator>)
      if (partial_in_result<Schedule>(true, given.whole_result, given.in_place)) room = where_.result();
    const bool wants_room = room == nullptr && (Collective::reduces || Schedule::scratch);
    const std::size_t partial = wants_room ? round_up(given.count * sizeof(accumulator)) : 0;
    const stream_memory scratch(partial + arriving_in_a_tick(), comm_.stream(), here_.rank);
    if (wants_room) room = reinterpret_cast<accumulator*>(scratch.data());
    where_.keep_partial_in(room);
    arrivals_ = scratch.data() + partial;
    if (given.own_block_given)
      loops_.store(where_.read(form::input, here_.rank, 0), form::final, where_.write(form::final, here_.rank, 0),
                   form::final, where_.count(here_.rank, false));

    cursor<Schedule, true> sends(here_, rounds_, chunks_);
    cursor<Schedule, false> arrivals(here_, rounds_, chunks_);
    for (std::size_t tick = 0; !sends.at_end() || !arrivals.at_end(); ++tick) {
      exchange(tick, sends, arrivals);
      place(tick, arrivals);
    }
  }

 private:
  static constexpr std::size_t widest = sizeof(element) > sizeof(accumulator) ? sizeof(element) : sizeof(accumulator);
  struct part {
    int block;
    std::size_t skipped, count;
  };
  static constexpr std::size_t round_up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  int pieces(const transfer& step) const {
    return step.where.count > 1 && chunks_ == 1 && where_.side_by_side(step.travels) ? 1 : step.where.count;
  }
  part part_of(const transfer& step, int pieces, std::size_t chunk, int piece) const {
    if (pieces == 1 && step.where.count > 1) return {step.where.first, 0, where_.count_of(step.where)};
    const int block = step.where.first + piece;
    const std::size_t whole = where_.count(block, step.what != action::send);
    const std::size_t skipped = chunk * chunk_ < whole ? chunk * chunk_ : whole;
    const std::size_t rest = whole - skipped;
    return {block, skipped, rest < chunk_ ? rest : chunk_};
  }

  static bool overlap(block_range one, block_range other) { return one.first < other.end() && other.first < one.end(); }
  /// It may lie where it stays while the tick's messages are on their way.
  bool goes_straight(const transfer& step, int count, int round) const {
    if (step.what != action::store || step.travels != step.becomes || step.after_sends) return false;
    if (count == 1 && step.where.count > 1 && !where_.side_by_side(step.becomes)) return false;
    int touching = 0;
    const int transfers = Schedule::transfers(here_, round);
    for (int index = 0; index < transfers; ++index)
      if (overlap(Schedule::at(here_, round, index).where, step.where)) ++touching;
    return touching == 1;
  }

  /// Room for what doesn't go straight, of the tick that has most of it.
  std::size_t arriving_in_a_tick() const {
    std::size_t most = 0;
    std::vector<std::size_t> ticks(std::size_t(rounds_) + chunks_);
    for (cursor<Schedule, false> at(here_, rounds_, chunks_); !at.at_end();) {
      const transfer& step = at.current();
      const int count = pieces(step);
      const part some = part_of(step, count, at.chunk(), at.piece());
      if (step.peer != here_.rank && some.count != 0 && !goes_straight(step, count, int(at.round())))
        ticks[at.tick()] += round_up(some.count * memory::bytes_of(step.travels));
      at.advance(count);
    }
    for (const std::size_t one : ticks) most = one > most ? one : most;
    return most;
  }

  /// All messages of a tick. Leaves `arrivals` where it was.
  void exchange(std::size_t tick, cursor<Schedule, true>& sends, cursor<Schedule, false> arrivals) {
    std::optional<nccl_group> group;
    const auto message = [&] {
      if (!group) group.emplace(here_.rank);
    };
    for (; !sends.at_end() && sends.tick() == tick;) {
      const transfer& step = sends.current();
      const int count = pieces(step);
      const part some = part_of(step, count, sends.chunk(), sends.piece());
      if (some.count != 0) {
        message();
        expect_nccl(
            ncclSend(where_.read(step.travels, some.block, some.skipped), some.count * memory::bytes_of(step.travels),
                     ncclChar, step.peer, comm_.native_handle(), comm_.stream()),
            here_.rank, "ncclSend");
      }
      sends.advance(count);
    }
    std::byte* free = arrivals_;
    for (; !arrivals.at_end() && arrivals.tick() == tick;) {
      const transfer& step = arrivals.current();
      const int count = pieces(step);
      const part some = part_of(step, count, arrivals.chunk(), arrivals.piece());
      if (some.count != 0 && step.peer != here_.rank) {
        message();
        const std::size_t bytes = some.count * memory::bytes_of(step.travels);
        void* to = free;
        if (goes_straight(step, count, int(arrivals.round())))
          to = where_.write(step.becomes, some.block, some.skipped);
        else
          free += round_up(bytes);
        expect_nccl(ncclRecv(to, bytes, ncclChar, step.peer, comm_.native_handle(), comm_.stream()), here_.rank,
                    "ncclRecv");
      }
      arrivals.advance(count);
    }
    if (group) group->end();
  }

  /// The arrivals of a tick take their places.
  void place(std::size_t tick, cursor<Schedule, false>& arrivals) {
    const std::byte* next = arrivals_;
    for (; !arrivals.at_end() && arrivals.tick() == tick;) {
      const transfer& step = arrivals.current();
      const int count = pieces(step);
      const part some = part_of(step, count, arrivals.chunk(), arrivals.piece());
      if (some.count != 0 && step.peer == here_.rank) {
        apply(step, where_.read(step.travels, some.block, some.skipped), some);
      } else if (some.count != 0 && !goes_straight(step, count, int(arrivals.round()))) {
        if (count == 1 && step.where.count > 1 && !where_.side_by_side(step.becomes))
          spread(step, next);
        else
          apply(step, next, some);
        next += round_up(some.count * memory::bytes_of(step.travels));
      }
      arrivals.advance(count);
    }
  }
  void spread(const transfer& step, const std::byte* from) const {
    for (int block = step.where.first; block < step.where.end(); ++block) {
      const part one{block, 0, where_.count(block, true)};
      if (one.count != 0) apply(step, from, one);
      from += one.count * memory::bytes_of(step.travels);
    }
  }
  void apply(const transfer& step, const void* arriving, const part& some) const {
    void* out = where_.write(step.becomes, some.block, some.skipped);
    if (step.what == action::store) return loops_.store(arriving, step.travels, out, step.becomes, some.count);
    if constexpr (Collective::reduces) {
      const void* held = where_.read(step.held, some.block, some.skipped);
      if (step.what == action::fold_left)
        loops_.combine(arriving, step.travels, held, step.held, out, step.becomes, some.count);
      else
        loops_.combine(held, step.held, arriving, step.travels, out, step.becomes, some.count);
    }
  }

  Communicator& comm_;
  memory& where_;
  const Reduction& op_;
  tutti::place here_;
  device_loops<Reduction> loops_;
  std::size_t chunk_ = 1, chunks_ = 1;
  int rounds_ = 0;
  std::byte* arrivals_ = nullptr;
};

}  // namespace tutti::detail
