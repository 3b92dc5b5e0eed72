// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/engine/agreement.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/obligation.hpp>
#include <tutti/schedule/transfer.hpp>

#include <cstddef>
#include <type_traits>

namespace tutti::detail {

/// What running a schedule takes whatever moves its messages: how the call begins, into which pieces transfers are
/// cut, where those lie and what an arrival does there.
template <class Communicator, class Collective, class Chunking, schedule Schedule, class Reduction>
class schedule_run {
 public:
  using element = typename Reduction::element;
  using accumulator = typename Reduction::accumulator;
  using memory = storage<element, accumulator>;
  static constexpr std::size_t widest = sizeof(element) > sizeof(accumulator) ? sizeof(element) : sizeof(accumulator);

 protected:
  schedule_run(Communicator& comm, const call_signature& call, const Reduction& op, operands<element>&& given)
      : comm_(comm),
        op_(op),
        here_{comm.rank(), comm.size(), given.root},
        where_(static_cast<operands<element>&&>(given), here_, Schedule::blocks(comm.size())) {
    cut();
    call_ = describe(call, where_.given().agrees ? 0 : where_.given().count, sizeof(element),
                     where_.given().agrees ? 0 : chunk_, here_.root);
  }
  ~schedule_run() = default;

  /// Enters the operation; true once this rank knows all lengths. Then, once, use(rounds, chunks) is called.
  template <class Use>
  bool begun(Use&& use) {
    if (state_ == state::begin) {
      const operands<element>& given = where_.given();
      if ((given.agrees ? comm_.try_begin(call_, given.word) : comm_.try_begin(call_)) != progress::done) return false;
      state_ = state::agree;
    }
    if (state_ == state::agree) {
      if (where_.given().agrees) {
        using agreement_type = agreement<Collective, Communicator, memory>;
        if (!agreement_type::complete(comm_, peer_)) return false;
        agreement_type(comm_, where_).settle();
        cut();
      }
      prepare();
      use(Schedule::rounds(here_.size, here_.root), chunks_);
      state_ = state::run;
    }
    return true;
  }
  void begin_again() {
    state_ = state::begin;
    peer_ = 0;
  }

  /// A transfer of several blocks travels as one message where that fits, else block by block.
  int pieces(const transfer& step) const {
    if (step.where.count == 1) return 1;
    const std::size_t bytes = where_.side_by_side(step.travels) ? where_.count_of(step.where) : ~std::size_t(0);
    const std::size_t longest = Communicator::max_message() / memory::bytes_of(step.travels);
    return chunks_ == 1 && bytes <= longest ? 1 : step.where.count;
  }
  /// What a piece is: elements [skipped, skipped + count) of a block, or all of several blocks.
  struct part {
    int block;
    std::size_t skipped, count;
  };
  part part_of(const transfer& step, int pieces, std::size_t chunk, int piece) const {
    if (pieces == 1 && step.where.count > 1) return {step.where.first, 0, where_.count_of(step.where)};
    const int block = step.where.first + piece;
    const std::size_t whole = where_.count(block, step.what != action::send);
    const std::size_t skipped = chunk * chunk_ < whole ? chunk * chunk_ : whole;
    const std::size_t rest = whole - skipped;
    return {block, skipped, rest < chunk_ ? rest : chunk_};
  }

  /// What has arrived takes its place; a message of several blocks may have to be spread.
  void place_arrival(const transfer& step, int pieces, const part& some, const std::byte* data) const {
    if (pieces == 1 && step.where.count > 1 && !where_.side_by_side(step.becomes))
      spread(step, data);
    else
      apply(step, data, some);
  }
  /// What this rank itself holds takes its place.
  void place_own(const transfer& step, const part& some) const {
    apply(step, where_.read(step.travels, some.block, some.skipped), some);
  }

  Communicator& comm_;
  Reduction op_;
  place here_;
  memory where_;

 private:
  enum class state { begin, agree, run };

  void cut() {
    const std::size_t block = where_.largest(), longest = Communicator::max_message() / widest;
    const std::size_t wished = Chunking::elements(block, widest);
    chunk_ = wished < longest ? wished : longest;
    chunks_ = block <= chunk_ ? 1 : (block + chunk_ - 1) / chunk_;
  }

  /// Only now: scratch and the caller's memory are this operation's from its begin to its end.
  void prepare() {
    const operands<element>& given = where_.given();
    accumulator* room = nullptr;
    if constexpr (Collective::reduces && std::is_same_v<element, accumulator>) {
      if (partial_in_result<Schedule>(true, given.whole_result, given.in_place)) room = where_.result();
    }
    if (room == nullptr && (Collective::reduces || Schedule::scratch))
      room = static_cast<accumulator*>(comm_.scratch(given.count * sizeof(accumulator)));
    where_.keep_partial_in(room);
    if (given.own_block_given)
      store(where_.read(form::input, here_.rank, 0), form::final, here_.rank, 0, where_.count(here_.rank, false));
  }

  /// One message whose blocks have their places apart.
  void spread(const transfer& step, const std::byte* lent) const {
    for (int block = step.where.first; block < step.where.end(); ++block) {
      const part one{block, 0, where_.count(block, true)};
      if (one.count != 0) apply(step, lent, one);
      lent += one.count * memory::bytes_of(step.travels);
    }
  }

  void store(const void* from, form becomes, int block, std::size_t skipped, std::size_t count) const {
    if (count != 0) loops().store(from, becomes, where_.write(becomes, block, skipped), becomes, count);
  }

  fold_loops<Reduction> loops() const { return {op_, contributions<Collective>(here_.rank, here_.size)}; }

  void apply(const transfer& step, const void* arriving, const part& some) const {
    void* out = where_.write(step.becomes, some.block, some.skipped);
    if (step.what == action::store) {
      loops().store(arriving, step.travels, out, step.becomes, some.count);
      return;
    }
    const void* held = where_.read(step.held, some.block, some.skipped);
    if (step.what == action::fold_left)
      loops().combine(arriving, step.travels, held, step.held, out, step.becomes, some.count);
    else
      loops().combine(held, step.held, arriving, step.travels, out, step.becomes, some.count);
  }

  std::size_t chunk_ = 1, chunks_ = 1;
  descriptor call_;
  state state_ = state::begin;
  int peer_ = 0;
};

}  // namespace tutti::detail
