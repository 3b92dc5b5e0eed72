// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/chunking.hpp>
#include <tutti/core/copy.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/core/shared_plan.hpp>
#include <tutti/engine/agreement.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/engine/windows.hpp>
#include <tutti/schedule/obligation.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>

namespace tutti::detail {

/// Runs a shared_plan by loads and stores, chunk by chunk:
///   copy in, finish a phase, wait for all; fold; [finish a phase, wait for all; read the others' results].
/// The entry into the operation is the first chunk's first phase: what is short lies in the very line that announces
/// it, else in the stage before that line is written. Where the counts must be agreed on first, it is a phase of its
/// own. Where others' results are read, several chunks overlap, so that there is one wait for each and not two:
///   copy in chunk 0, wait;  fold t, read the results of t-1, copy in t+1, finish a phase, wait: for t = 0, 1, ...
/// Input stages alternate over the life of the communicator: a rank writes that of chunk t+2 after all have folded t.
/// Result stages alternate within an operation: that of chunk t+2 is written after all have read the results of t.
/// Where all ranks can reach the memory itself, nothing is staged: see windows.hpp.
template <class Communicator, class Collective, class Chunking, class Reduction, shared_plan Plan>
class shared_executor {
 public:
  using element = typename Reduction::element;
  using memory = storage<element, typename Reduction::accumulator>;
  static_assert(alignof(element) <= Communicator::stage_alignment,
                "tutti: elements are aligned to 1024 bytes at most where ranks share memory");

  shared_executor(Communicator& comm, const call_signature& call, const Reduction& op, operands<element>&& given)
      : comm_(comm),
        op_(op),
        here_{comm.rank(), comm.size(), given.root},
        where_(static_cast<operands<element>&&>(given), here_, blocks(comm.size())),
        longest_(longest_chunk(comm)) {
    cut();
    call_ = describe(call, where_.given().agrees ? 0 : where_.given().count, sizeof(element),
                     where_.given().agrees ? 0 : chunk_, here_.root);
  }

  progress step() {
    bool moved = false;
    for (;; moved = true) {
      switch (state_) {
        case state::begin:
          if (!comm_.may_begin(call_)) return progress::waiting;
          enter();
          break;
        case state::agree:
          if (!everyone_joined()) return moved ? progress::moved : progress::waiting;
          agreement_type(comm_, where_).settle();
          cut();
          state_ = turn_ == chunks_ ? state::done : state::copy_in;
          break;
        case state::meet:
          if (!everyone_joined()) return moved ? progress::moved : progress::waiting;
          meet();
          break;
        case state::copy_in:
          stage();
          await_phase(state::work);
          break;
        case state::wait:
          if (!all_there()) return moved ? progress::moved : progress::waiting;
          state_ = after_;
          break;
        case state::work:
          if constexpr (two_phases) {
            overlap();
          } else {
            work();
            next_turn();
          }
          break;
        case state::gather:
          window_type().gather_by_address([this](int rank) { return window_of(rank); });
          await_phase(state::done);
          break;
        case state::done:
          return progress::done;
      }
    }
  }

  void restart() {
    state_ = state::begin;
    turn_ = folded_ = 0;
    peer_ = 0;
  }

 private:
  using agreement_type = agreement<Collective, Communicator, memory>;
  using windows_type = windows<Communicator, Collective, Reduction>;
  enum class state { begin, agree, meet, copy_in, wait, work, gather, done };
  static constexpr bool two_phases = Plan.fold == folds::own_block && Plan.read != reads::nothing;
  static constexpr bool cut_by_ranks = Plan.fold == folds::own_block || Plan.stage == stages::own_block ||
                                       Plan.stage == stages::all_blocks || Plan.stage == stages::blocks_at_root;
  static constexpr bool stages_one_block =
      !cut_by_ranks || Plan.stage == stages::own_block || Plan.stage == stages::at_root;
  static constexpr bool folds_stages = Plan.fold != folds::nothing && Plan.fold != folds::at_root;
  using part = typename Communicator::part;

  /// Some ranks only copy in while others only copy out: chunks are what makes them work at the same time, but short
  /// ones of a long block cost more than that gains (256 KiB: 22 us in chunks of 128 KiB, 28 us in quarters).
  static constexpr bool one_sided = Plan.stage == stages::at_root || Plan.stage == stages::blocks_at_root ||
                                    Plan.fold == folds::at_root ||
                                    (Plan.fold == folds::nothing && Plan.read == reads::at_root);
  static constexpr bool fits_lines = alignof(element) <= Communicator::line_alignment;
  /// Shorter ones are staged at no more than what agreeing on windows costs (2 ranks in place: 2 KiB 0.7 us staged, 1.1
  /// in windows; 4 KiB 1.2 and 1.1; 8 KiB 1.5 and 1.1).
  static constexpr std::size_t least_windowed = 4096;

  static constexpr int blocks(int size) { return cut_by_ranks ? size : 1; }
  static constexpr std::size_t shorter(std::size_t one, std::size_t other) { return one < other ? one : other; }

  void cut() {
    const std::size_t block = where_.largest();
    chunk_ = shorter(Chunking::elements(block, sizeof(element)), longest_);
    if constexpr (one_sided && std::same_as<Chunking, default_chunking>)
      if (block * sizeof(element) <= 64 * KiB) chunk_ = shorter(chunk_, (block + 3) / 4 + 4 * KiB / sizeof(element));
    if (block != 0) chunk_ = shorter(chunk_, block);
    chunks_ = block <= chunk_ ? block != 0 : (block + chunk_ - 1) / chunk_;  // one needs no division
    in_line_ = fits_lines && !where_.given().agrees && chunks_ == 1 &&
               chunk_ * std::size_t(stages_one_block ? 1 : here_.size) * sizeof(element) <= Communicator::line_bytes;
    shows_ = windows_type::served && !in_line_ && !where_.given().agrees &&
             where_.given().count * sizeof(element) >= least_windowed;
  }

  /// Stages what the first chunk needs, shows where the operands lie, announces the operation.
  void enter() {
    const auto& given = where_.given();
    staged_ = !given.agrees && chunks_ != 0;
    if (in_line_) {
      comm_.begin(call_, given.word, [this](std::byte* line) { copy_in(reinterpret_cast<element*>(line)); });
    } else if (shows_) {
      own_window_ = window_type().own();
      staged_ = staged_ && !window_type().holds_back(here_.rank, own_window_);
      if (staged_) stage();
      comm_.begin(call_, given.word, [this](std::byte* line) { std::memcpy(line, &own_window_, sizeof own_window_); });
    } else {
      if (staged_) stage();
      comm_.begin(call_, given.word, [](std::byte*) {});
    }
    state_ = given.agrees ? state::agree : state::meet;
    peer_ = 0;
  }

  /// All ranks have entered, and see the same windows.
  void meet() {
    int complete = 0, readable = 0, unstaged = 0;
    if (shows_)
      for (int rank = 0; rank < here_.size; ++rank) {
        const window shown = window_of(rank);
        complete += window_type().complete(rank, shown) ? 1 : 0;
        readable += window_type().readable(shown) ? 1 : 0;
        unstaged += window_type().holds_back(rank, shown) ? 1 : 0;
      }
    const auto shown_by = [this](int rank) { return window_of(rank); };
    if (chunks_ == 0) {  // nothing to move: all ranks have agreed on that
      state_ = state::done;
    } else if (unstaged == 0) {
      state_ = state::work;
    } else if (complete == here_.size) {
      window_type().work(op_, shown_by);
      await_phase(state::done);
      if (!window_type().used()) state_ = state::done;
    } else if (readable == here_.size) {
      window_type().work_by_address(op_, shown_by, comm_.own_stage(input_stage(), window_type().room_bytes()));
      await_phase(windows_type::two_halves ? state::gather : state::done);
      if (!window_type().used()) state_ = state::done;
    } else {
      if (!staged_) stage();
      await_phase(state::work);
    }
  }
  windows_type window_type() { return {comm_, where_, here_}; }
  /// The own one not from the line: what was written there is on its way for as long as a peer's core has the line.
  window window_of(int rank) const {
    if (rank == here_.rank) return own_window_;
    window shown;
    std::memcpy(&shown, comm_.line_of(rank), sizeof shown);
    return shown;
  }

  /// All that a rank stages of one turn must fit.
  static std::size_t longest_chunk(const Communicator& comm) {
    const auto staged = std::size_t(stages_one_block ? 1 : comm.size());
    const std::size_t longest = Communicator::stage_bytes() / (staged * sizeof(element));
    if (longest == 0)
      fail(errc::bad_argument, comm.rank(),
           "%s on rank %d: an element has %zu bytes; %zu fit into shared memory for %d ranks", Collective::name,
           comm.rank(), sizeof(element), Communicator::stage_bytes() / staged, comm.size());
    return longest;
  }

  part input_stage() const { return comm_.turns() % 2 == 0 ? Communicator::input_even : Communicator::input_odd; }
  part result_stage() const { return turn_ % 2 == 0 ? Communicator::result_even : Communicator::result_odd; }

  /// This turn's elements of a block.
  range chunk_of(int block, bool arriving) const {
    const std::size_t whole = where_.count(block, arriving);
    const std::size_t skipped = shorter(turn_ * chunk_, whole);
    return {skipped, shorter(whole - skipped, chunk_)};
  }
  /// Where a block's chunk lies in a stage: one after the other where a rank stages several blocks.
  std::size_t staged_at(int block) const { return stages_one_block ? 0 : std::size_t(block) * chunk_; }

  bool is_root() const { return here_.rank == here_.root; }
  bool stages_something() const {
    return (Plan.stage != stages::at_root && Plan.stage != stages::blocks_at_root) || is_root();
  }
  bool reads_something() const { return Plan.read != reads::nothing && (Plan.read != reads::at_root || is_root()); }
  /// Nobody reads a rank's own block from a stage but this rank, and it has the input.
  bool keeps_back(int block) const {
    if constexpr (Plan.stage == stages::all_blocks) return block == 0;
    if constexpr (Plan.stage == stages::blocks_at_root || (Plan.stage == stages::all && Plan.fold == folds::own_block))
      return block == here_.rank;
    return false;
  }

  const element* peer_stage(int peer) const {
    return reinterpret_cast<const element*>(in_line_ ? comm_.line_of(peer) : comm_.peer_stage(peer, input_stage()));
  }
  int first_staged() const { return Plan.stage == stages::own_block ? here_.rank : 0; }
  int end_of_staged() const { return stages_one_block ? first_staged() + 1 : here_.size; }

  void stage() {
    if (!stages_something()) return;
    const int last = end_of_staged() - 1;
    const std::size_t longest = stages_one_block ? chunk_of(last, false).count : chunk_;
    copy_in(reinterpret_cast<element*>(comm_.own_stage(input_stage(), (staged_at(last) + longest) * sizeof(element))));
  }
  void copy_in(element* to) const {
    if (!stages_something()) return;
    for (int block = first_staged(); block < end_of_staged(); ++block) {
      const range mine = chunk_of(block, false);
      if (mine.count != 0 && !keeps_back(block))
        copy_bytes(to + staged_at(block), where_.read(form::input, block, mine.first), mine.count * sizeof(element));
    }
  }

  /// Chunk folded_ lies in everyone's stage, and the results of the one before.
  void overlap() {
    const std::size_t now = folded_++;
    if (now < chunks_) {
      turn_ = now;
      fold_for_others();
      comm_.finish_turn();
    }
    if (now != 0) {
      turn_ = now - 1;
      read_results();
    }
    if (now == chunks_) {
      state_ = state::done;
      return;
    }
    if (now + 1 < chunks_) {
      turn_ = now + 1;
      stage();
    }
    await_phase(state::work);
    turn_ = now;
    if (!has_own_result_) read_result_of(here_.rank);  // before the peers' cores have taken it
  }
  /// The own block of this chunk, to where the peers read it.
  void fold_for_others() {
    const range mine = chunk_of(here_.rank, true);
    const std::size_t bytes = mine.count * sizeof(element);
    std::byte* const stage = comm_.own_stage(result_stage(), bytes);
    // For one peer, what is long is folded where it stays and then copied, which takes fewer round trips than folding
    // into lines that the peer has; unless the input lies there, and the fold reads it late. Among more the peers'
    // lines take longer than that, and those of the stage are near, while the result's may be in no cache: it is
    // folded into the stage and copied from there (8 ranks: 64 KiB 24 us, so 19; 1 MiB 430 and 365).
    void* const out = reads_something() ? where_.write(form::final, here_.rank, mine.first) : nullptr;
    has_own_result_ = bytes >= 2 * KiB && out != nullptr;
    const bool straight = has_own_result_ && here_.size == 2 && (folds_first() || own_input(here_.rank) != out);
    fold(here_.rank, straight ? out : stage, mine.count);
    if (straight)
      copy_bytes(stage, out, bytes);
    else if (has_own_result_)
      copy_bytes(out, stage, bytes);
  }
  void work() {
    if constexpr (Plan.fold != folds::nothing) {
      if (Plan.fold == folds::at_root && !is_root()) return;
      const int block = cut_by_ranks ? here_.rank : 0;
      const range mine = chunk_of(block, true);
      if (mine.count != 0) fold(block, where_.write(form::final, block, mine.first), mine.count);
    } else if (reads_something()) {
      for (int turn = 0; turn < here_.size; ++turn) {
        const int peer = here_.wrap(here_.rank + turn);  // everyone starts with another one
        if ((Plan.stage == stages::at_root || Plan.stage == stages::blocks_at_root) && peer != here_.root) continue;
        const int block = block_from(peer);
        if (turn == 0)
          keep(block);
        else
          read(peer_stage(peer) + staged_at(block), block);
      }
    }
  }

  /// Which block a staged chunk of that peer is to this rank.
  int block_from(int peer) const {
    if (Plan.stage == stages::all_blocks) return here_.wrap(here_.rank - peer);
    if (Plan.stage == stages::blocks_at_root) return here_.rank;
    return cut_by_ranks ? peer : 0;
  }

  const void* own_input(int block) const { return where_.read(form::input, block, chunk_of(block, false).first); }
  /// Rather than its stage, which the peers' cores take away. In place the result grows where the input lies, which is
  /// read first only on the first two ranks, or where all is folded element by element.
  bool reads_own_input(int block, const void* out) const {
    return keeps_back(block) || folds_first() || own_input(block) != out;
  }
  bool folds_first() const { return folds_at_once() || Reduction::accumulates || here_.rank < 2; }

  bool folds_at_once() const { return in_line_ && here_.size <= most_ranks_at_once; }

  void fold(int block, void* out, std::size_t count) const {
    if constexpr (Plan.fold != folds::nothing) {
      const int ranks = contributions<Collective>(here_.rank, here_.size);
      if (count == 0 || ranks == 0) return;
      const std::size_t offset = staged_at(block);
      const element* const own =
          reads_own_input(block, out) ? static_cast<const element*>(own_input(block)) : peer_stage(here_.rank) + offset;
      const auto from = [&](int rank) { return rank == here_.rank ? own : peer_stage(rank) + offset; };
      if constexpr (fits_lines) {
        if (folds_at_once()) return fold_few(op_, ranks, from, static_cast<element*>(out), count);
      }
      fold_in_rank_order(op_, ranks, from, static_cast<element*>(out), count);
    }
  }

  void read_results() {
    for (int turn = 1; turn < here_.size; ++turn) read_result_of(here_.wrap(here_.rank + turn));
  }
  void read_result_of(int owner) const {
    if (reads_something()) read(reinterpret_cast<const element*>(comm_.peer_stage(owner, result_stage())), owner);
  }
  void read(const element* staged, int block) const {
    const range what = chunk_of(block, true);
    if (what.count != 0) copy_bytes(where_.write(form::final, block, what.first), staged, what.count * sizeof(element));
  }
  /// The own block needs no stage.
  void keep(int block) const {
    const range what = chunk_of(block, true);
    if (what.count == 0) return;
    const void* from = where_.read(form::input, block, what.first);
    void* to = where_.write(form::final, block, what.first);
    if (from != to) copy_bytes(to, from, what.count * sizeof(element));
  }

  void await_phase(state next) {
    comm_.finish_phase();
    peer_ = 0;
    after_ = next;
    state_ = state::wait;
  }
  bool all_there() {
    for (; peer_ < here_.size; ++peer_) {
      if (peer_ == here_.rank) continue;
      if (!comm_.has_finished(peer_, comm_.phases())) return false;
      if (two_phases && chunks_ == 1 && folded_ == 1) fetch_ahead(comm_.peer_stage(peer_, result_stage()));
    }
    return true;
  }
  bool everyone_joined() {
    for (; peer_ < here_.size; ++peer_) {
      if (peer_ == here_.rank) continue;
      if (!comm_.joined(peer_)) return false;
      if (folds_stages && staged_ && !in_line_)
        fetch_ahead(peer_stage(peer_) + staged_at(cut_by_ranks ? here_.rank : 0));
    }
    return true;
  }
  /// What this rank reads next is on its way while it waits for the others: as much as a core has under way at a time.
  /// 256 bytes on 4 ranks: 0.75 -> 0.65 us.
  void fetch_ahead(const void* staged) const {
    constexpr std::size_t line = 64, under_way = 16;
    const std::size_t fair = here_.size <= int(under_way) ? under_way / std::size_t(here_.size) : 1;
    const std::size_t lines = shorter((chunk_ * sizeof(element) + line - 1) / line, fair);
    for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(static_cast<const std::byte*>(staged) + i * line);
  }
  void next_turn() {
    ++turn_;
    comm_.finish_turn();
    state_ = turn_ == chunks_ ? state::done : state::copy_in;
  }

  Communicator& comm_;
  Reduction op_;
  place here_;
  memory where_;
  std::size_t longest_, chunk_ = 1, chunks_ = 0;
  descriptor call_;
  window own_window_;
  std::size_t turn_ = 0;    // the chunk that is being moved
  std::size_t folded_ = 0;  // how many are, where they overlap
  int peer_ = 0;
  bool in_line_ = false, shows_ = false, staged_ = false, has_own_result_ = false;
  state state_ = state::begin;
  state after_ = state::begin;
};

}  // namespace tutti::detail
