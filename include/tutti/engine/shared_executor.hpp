// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/partition.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/core/shared_plan.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/engine/storage.hpp>

#include <cstddef>
#include <cstring>

namespace tutti::detail {

/// Runs a shared_plan by loads and stores, chunk by chunk:
///   copy in, finish a phase, wait for all; fold; [finish a phase, wait for all; read the others' results].
/// Input stages alternate over the life of the communicator: a rank writes that of turn t+2 after all have
/// finished the first phase of turn t+1, hence all their reading of turn t. The result of turn t+1 is written
/// after that same phase, so one result stage is enough.
template <class Communicator, class Reduction, shared_plan Plan>
class shared_executor {
 public:
  using element = typename Reduction::element;
  using memory = storage<element, typename Reduction::accumulator>;

  /// Blocks in which the vector is cut: one a rank where ranks own blocks, else one.
  static constexpr int blocks(int size) {
    return Plan.fold == folds::own_block || Plan.stage == stages::own_block ? size : 1;
  }
  /// Elements a chunk of a block may have: all that a rank stages of one turn must fit.
  static constexpr std::size_t longest_chunk(int size) {
    const auto staged = std::size_t(Plan.stage == stages::all ? blocks(size) : 1);
    return Communicator::stage_bytes() / (staged * sizeof(element));
  }

  shared_executor(Communicator& comm, const descriptor& call, const Reduction& op, const memory& where,
                  std::size_t chunk, int root)
      : comm_(comm),
        call_(call),
        op_(op),
        where_(where),
        blocks_(where.count, blocks(comm.size())),
        chunk_(chunk < blocks_.largest() || where.count == 0 ? chunk : blocks_.largest()),
        chunks_((blocks_.largest() + chunk_ - 1) / chunk_),
        root_(root),
        rank_(comm.rank()),
        size_(comm.size()) {}

  progress step() {
    bool moved = false;
    for (;; moved = true) {
      switch (state_) {
        case state::begin:
          if (comm_.try_begin(call_) != progress::done) return progress::waiting;
          state_ = state::copy_in;
          break;
        case state::copy_in:
          if (turn_ == chunks_) {  // also where there is nothing to move: all ranks have agreed on that
            state_ = state::join;
            break;
          }
          copy_in();
          await_phase(state::work);
          break;
        case state::wait:
          if (!all_there()) return moved ? progress::moved : progress::waiting;
          state_ = after_;
          break;
        case state::work:
          work();
          if (two_phases)
            await_phase(state::read);
          else
            next_turn();
          break;
        case state::read:
          read_results();
          next_turn();
          break;
        case state::join:
          for (; peer_ < size_; ++peer_)
            if (peer_ != rank_ && !comm_.joined(peer_)) return moved ? progress::moved : progress::waiting;
          return progress::done;
      }
    }
  }

 private:
  enum class state { begin, copy_in, wait, work, read, join };
  static constexpr bool two_phases = Plan.fold == folds::own_block && Plan.read != reads::nothing;
  using part = typename Communicator::part;

  part input_stage() const { return comm_.turns() % 2 == 0 ? Communicator::input_even : Communicator::input_odd; }

  /// This turn's elements of a block.
  range chunk_of(int block) const {
    const range whole = blocks_[block];
    const std::size_t skipped = turn_ * chunk_ < whole.count ? turn_ * chunk_ : whole.count;
    const std::size_t rest = whole.count - skipped;
    return {whole.first + skipped, rest < chunk_ ? rest : chunk_};
  }
  /// Where a block's chunk lies in a stage: one after the other where a rank stages all blocks.
  std::size_t staged_at(int block) const { return Plan.stage == stages::all ? std::size_t(block) * chunk_ : 0; }

  bool stages_something() const { return Plan.stage != stages::at_root || rank_ == root_; }
  bool reads_something() const {
    return Plan.read == reads::everywhere || (Plan.read == reads::at_root && rank_ == root_);
  }

  void copy_in() {
    if (!stages_something()) return;
    const int first = Plan.stage == stages::own_block ? rank_ : 0;
    const int last = Plan.stage == stages::all ? blocks_.blocks() : first + 1;
    const range end = chunk_of(last - 1);
    auto* stage = reinterpret_cast<element*>(comm_.own_stage(
        input_stage(), (staged_at(last - 1) + (last - first > 1 ? chunk_ : end.count)) * sizeof(element)));
    for (int block = first; block < last; ++block) {
      const range mine = chunk_of(block);
      // all_gather's own shard and broadcast's message lie in the result already
      const void* from =
          Plan.fold == folds::nothing ? where_.read(form::final, mine.first) : where_.read(form::input, mine.first);
      if (mine.count != 0)
        std::memcpy(static_cast<void*>(stage + staged_at(block)), from, mine.count * sizeof(element));
    }
  }

  void work() {
    if constexpr (Plan.fold == folds::own_block) {
      const range mine = chunk_of(rank_);
      if constexpr (two_phases) {
        auto* stage =
            reinterpret_cast<element*>(comm_.own_stage(Communicator::result_stage, mine.count * sizeof(element)));
        fold(rank_, stage, mine.count);
      } else {
        fold(rank_, static_cast<element*>(where_.write(form::final, mine.first)), mine.count);
      }
    } else if constexpr (Plan.fold != folds::nothing) {
      const range mine = chunk_of(0);
      if (Plan.fold == folds::everything || rank_ == root_)
        fold(0, static_cast<element*>(where_.write(form::final, mine.first)), mine.count);
    } else if (reads_something()) {
      for (int turn = 1; turn < size_; ++turn) {
        const int peer = (rank_ + turn) % size_;  // everyone starts with another one
        if (Plan.stage == stages::at_root && peer != root_) continue;
        read(peer, input_stage(), chunk_of(Plan.stage == stages::own_block ? peer : 0));
      }
    }
  }

  void fold(int block, element* out, std::size_t count) const {
    if constexpr (Plan.fold != folds::nothing) {
      if (count == 0) return;
      const std::size_t offset = staged_at(block);
      const part stage = input_stage();
      fold_in_rank_order(
          op_, size_,
          [&](int rank) { return reinterpret_cast<const element*>(comm_.peer_stage(rank, stage)) + offset; }, out,
          count);
    }
  }

  void read_results() {
    if (!reads_something()) return;
    for (int turn = 0; turn < size_; ++turn) {
      const int owner = (rank_ + turn) % size_;
      read(owner, Communicator::result_stage, chunk_of(owner));
    }
  }
  void read(int peer, part stage, const range& what) const {
    if (what.count != 0)
      std::memcpy(where_.write(form::final, what.first), comm_.peer_stage(peer, stage), what.count * sizeof(element));
  }

  void await_phase(state next) {
    comm_.finish_phase();
    peer_ = 0;
    after_ = next;
    state_ = state::wait;
  }
  bool all_there() {
    for (; peer_ < size_; ++peer_)
      if (peer_ != rank_ && !comm_.has_finished(peer_, comm_.phases())) return false;
    return true;
  }
  void next_turn() {
    ++turn_;
    comm_.finish_turn();
    peer_ = 0;
    state_ = state::copy_in;
  }

  Communicator& comm_;
  descriptor call_;
  const Reduction& op_;
  memory where_;
  partition blocks_;
  std::size_t chunk_, chunks_;
  std::size_t turn_ = 0;
  int root_, rank_, size_;
  int peer_ = 0;
  state state_ = state::begin;
  state after_ = state::begin;
};

}  // namespace tutti::detail
