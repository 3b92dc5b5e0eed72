// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/mismatch.hpp>
#include <tutti/transport/part_of_call.hpp>
#include <tutti/transport/process_memory.hpp>
#include <tutti/transport/protocol.hpp>
#include <tutti/transport/shared_group.hpp>
#include <tutti/transport/shared_world.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include <unistd.h>

namespace tutti::detail {

/// A rank of a group that shares memory, and what it has to do with its peers' operations and phases. Nothing here
/// waits.
///
/// Operations. Each collective is operation i = 1, 2, ... on every rank. A rank publishes (i, hash of its
/// call) in its slot i mod B on every operation, also where it only reads, after it has seen all peers at
/// i-B+1 or later: so a slot is never overwritten while somebody may still read it, and whatever a peer
/// wrote for an operation before i-B+1 is finished with.
/// Phases. Load/store collectives count finished phases, the same number on all ranks.
class shared_rank : public part_of_call {
 private:
  auto sequence_of(int peer) const {
    return [this, peer](flag operation) -> const flag& { return group_.slot(peer, operation).sequence; };
  }

 public:
  using memory = hardware_memory;
  static constexpr bool load_store = true;

  shared_rank(const shared_world& world, const shared_group& group, int rank)
      : world_(world), group_(group), rank_(rank), peers_(std::size_t(group.size())) {}
  shared_rank(const shared_rank&) = delete;
  shared_rank& operator=(const shared_rank&) = delete;

  /// -1 where this process is not in the group.
  int rank() const { return rank_; }
  /// 0 where this process is not in the group.
  int size() const { return group_.size(); }
  /// True where this process is in the group: only there may it be used.
  bool active() const { return rank_ >= 0; }
  void expect_active(const char* call) const {
    if (!active()) fail(errc::bad_argument, -1, "%s on a communicator of a group that this process is not in", call);
  }

  const shared_world& world() const { return world_; }
  const shared_group& group() const { return group_; }
  /// A member's rank in the world, which failures go by.
  int world_rank(int member) const { return group_.member(member); }
  int world_rank() const { return active() ? world_rank(rank_) : -1; }

  // ---- operations -------------------------------------------------------------------------------------

  /// False while a peer is too far behind for this rank to enter its next operation.
  bool may_begin(const descriptor& call) {
    const std::uint64_t next = operation_ + 1;
    collective_ = stands_for(call).collective;
    if (hears_of_failure()) throw_recorded_failure();
    for (int peer = 0; peer < size(); ++peer)
      if (peer != rank_ && !peers_[std::size_t(peer)].operations.may_begin(next, sequence_of(peer))) return false;
    return true;
  }
  /// Enters it, and what this rank staged before. A word travels along, and what fill(line) writes: line_bytes at most.
  /// All of a line is written at once: a peer that polls would take it away in between, and one more round trip each
  /// way is as long as a small operation.
  template <class Fill>
  void begin(const descriptor& call, std::uint64_t word, Fill&& fill) {
    const std::uint64_t next = operation_ + 1;
    descriptor& said = group_.call(rank_, next).call;
    note_call(call, said);
    collective_ = said.collective;
    slot_line& mine = group_.slot(rank_, next);
    operation_ = next;
    hash_ = said.hash;
    fill(mine.data);
    mine.hash = hash_;
    mine.word = word;
    memory::publish(mine.sequence, next);
    rouse_peers();
  }
  /// Both, where nothing lies between them: done once the peers are near enough and the call is published.
  detail::progress try_begin(const descriptor& call, std::uint64_t word = 0) {
    if (!may_begin(call)) return detail::progress::waiting;
    begin(call, word, [](std::byte*) {});
    return detail::progress::done;
  }

  /// What is so short travels in the line that announces the operation; line_of(peer) may be read once the peer has
  /// joined.
  static constexpr std::size_t line_bytes = sizeof(slot_line::data);
  static constexpr std::size_t line_alignment = 32;
  const std::byte* line_of(int peer) const { return group_.slot(peer, operation_).data; }

  /// True once the peer has entered the current operation; throws if it called something else.
  bool joined(int peer) {
    auto& view = peers_[std::size_t(peer)].operations;
    if (view.has_joined(operation_)) return true;
    if (!view.joined(operation_, sequence_of(peer))) return false;
    if (group_.slot(peer, operation_).hash != hash_) throw_mismatch(peer);
    return true;
  }

  /// The word that a peer brought to the current operation, once it has joined.
  std::uint64_t payload_of(int peer) const { return group_.slot(peer, operation_).word; }

  // ---- loads and stores -------------------------------------------------------------------------------

  static constexpr std::size_t stage_bytes() { return group_layout::stage_bytes; }
  static constexpr std::size_t stage_alignment = group_layout::stage_shift;
  enum part { input_even, input_odd, result_even, result_odd };

  /// This rank's own staging memory, with pages for the first bytes of it.
  std::byte* own_stage(part which, std::size_t bytes) {
    const std::size_t offset = group_.stage_offset(rank_, which);
    commit(offset, group_layout::stage_shift + bytes, staged_[which]);
    return group_.bytes_at(offset + group_layout::stage_shift);
  }
  const std::byte* peer_stage(int peer, part which) const {
    return group_.bytes_at(group_.stage_offset(peer, which) + group_layout::stage_shift);
  }

  /// What peers find this memory by, nonzero; 0 where they can't. It must lie in the shared region, which stays when a
  /// rank has failed and left; threads could reach the rest too, but then who is late would write into memory that its
  /// owner has already given back.
  std::uint64_t window_on(const void* operand, std::size_t bytes) const {
    const region& all = world_.memory_region();
    const auto offset = reinterpret_cast<std::uintptr_t>(operand) - reinterpret_cast<std::uintptr_t>(all.base());
    return offset < all.bytes() && bytes <= all.bytes() - offset ? offset : 0;
  }
  std::byte* at_window(std::uint64_t window) const {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(world_.memory_region().base()) + window);
  }

  /// This process can copy from the memory of all members itself, where it lies. The system may forbid it, and who is
  /// not there yet can't be asked: so ranks differ in this.
  bool reads_all_memory() {
    if (reads_memory_ == answer::unknown) reads_memory_ = try_to_read_all();
    return reads_memory_ == answer::yes;
  }
  /// How many times as long that takes as a copy by this process in its own memory; 0 where it is wanted anyway.
  static double cost_of_memory_copy() {
    return single_copy_wanted() == single_copy::always ? 0 : cost_of_copy_from_process();
  }
  void copy_from_memory(int peer, std::uint64_t address, void* to, std::size_t bytes) const {
    const status_line& there = world_.status(world_rank(peer));
    const int reason = copy_from_process(pid_t(there.process), address, to, bytes);
    if (reason == 0) return;
    if (hears_of_failure()) throw_recorded_failure();
    char text[256];
    std::snprintf(text, sizeof text, "%s on rank %d: can't copy %zu bytes from the memory of rank %d: %s", collective_,
                  called(rank_), bytes, called(peer), std::strerror(reason));
    give_up(errc::peer_failed, world_rank(peer), text);
  }

  std::uint64_t phases() const { return phases_; }
  /// Chunks that load/store collectives have moved so far: which of two stages is free.
  std::uint64_t turns() const { return turns_; }
  void finish_turn() { ++turns_; }
  /// What this rank wrote to its stage before this is there for whoever sees the phase.
  void finish_phase() {
    memory::publish(group_.progress(rank_).phases, ++phases_);
    rouse_peers();
  }
  bool has_finished(int peer, std::uint64_t phase) {
    return joined(peer) && peers_[std::size_t(peer)].phases.reached(phase, group_.progress(peer).phases);
  }

  // ---- failure ----------------------------------------------------------------------------------------

  /// Throws, and makes the failure known so that no peer waits for this rank.
  [[noreturn]] void give_up(errc code, int about, const char* text) const {
    world_.record_failure(code, about, text);
    fail(code, about, "%s", text);
  }

 protected:
  ~shared_rank() = default;

  void count_from(flag start) {
    operation_ = phases_ = turns_ = start;
    for (flag slot = 0; slot < group_layout::operations; ++slot)
      memory::publish(group_.slot(rank_, slot).sequence, start);
    memory::publish(group_.progress(rank_).phases, start);
    for (peer_state& peer : peers_) {
      peer.operations.count_from(start);
      peer.phases.count_from(start);
    }
  }

  /// For those that copy from this process's memory.
  void show_process() const {
    status_line& mine = world_.status(world_rank());
    mine.process = std::uint64_t(getpid());
    memory::publish(mine.base, reinterpret_cast<std::uintptr_t>(world_.memory_region().base()));
  }

  bool joined_or_later(int peer) const {
    return has_reached(memory::observe_ordered(group_.slot(peer, operation_).sequence), operation_);
  }

  /// Who fails says so before it leaves. So whoever finds a peer gone asks this afterwards: what it had found before
  /// may be older than what made the peer go.
  bool hears_of_failure() const { return memory::observe(world_.failure().published) != 0; }
  [[noreturn]] void throw_recorded_failure() const {
    const failure_line& line = world_.failure();
    fail(errc::peer_failed, line.rank, "%s on rank %d: rank %d%s failed: %s", collective_, called(rank_),
         called_in_world(line.rank), size() == world_.size() && world_names() == nullptr ? "" : " of the world",
         line.text);
  }
  [[noreturn]] void throw_no_memory(std::size_t bytes, int reason) const {
    char text[256];
    std::snprintf(text, sizeof text, "%s on rank %d: no shared memory for %zu bytes: %s", collective_, called(rank_),
                  bytes, std::strerror(reason));
    give_up(errc::resource, world_rank(), text);
  }

  std::uint64_t operations_begun() const { return operation_; }
  const char* collective() const { return collective_; }

 private:
  struct peer_state {
    operation_view<memory, group_layout::operations> operations;
    phase_view<memory> phases;
  };

  enum class answer { unknown, yes, no };
  /// Only who finds this very region there is a process of this world.
  answer try_to_read_all() const {
    if (world_.memory_region().of_threads() || single_copy_wanted() == single_copy::never) return answer::no;
    const auto& here = *reinterpret_cast<const region_header*>(world_.memory_region().base());
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank_) continue;
      const status_line& there = world_.status(world_rank(peer));
      const std::uint64_t base = memory::observe(there.base);
      if (base == 0) return answer::unknown;
      std::uint64_t found[2];
      static_assert(offsetof(region_header, nonce) == sizeof(std::uint64_t));
      if (copy_from_process(pid_t(there.process), base, found, sizeof found) != 0 || found[0] != here.magic ||
          found[1] != here.nonce)
        return answer::no;
    }
    return answer::yes;
  }

  void rouse_peers() const {
    for (int peer = 0; peer < size(); ++peer)
      if (peer != rank_) group_.rouse(peer);
  }

  void commit(std::size_t offset, std::size_t bytes, std::size_t& there) {
    if (bytes <= there) return;
    const std::size_t need = round_up(bytes, page_bytes);
    if (const int reason = world_.memory_region().commit(offset, need); reason != 0) throw_no_memory(need, reason);
    there = need;
  }

  [[noreturn]] void throw_mismatch(int peer) const {
    const descriptor& mine = group_.call(rank_, operation_).call;
    const descriptor& theirs = group_.call(peer, operation_).call;
    char what[192];
    describe_mismatch(mine, theirs, called(peer), what, sizeof what);
    char text[384];
    std::snprintf(text, sizeof text, "%s on rank %d: %s (operation %llu)", mine.collective, called(rank_), what,
                  static_cast<unsigned long long>(operation_));
    give_up(errc::mismatch, world_rank(), text);
  }

  shared_world world_;
  shared_group group_;
  int rank_;
  std::uint64_t operation_ = 0;
  std::uint64_t hash_ = 0;  // of the call that it is
  std::uint64_t phases_ = 0;
  std::uint64_t turns_ = 0;
  const char* collective_ = "tutti";
  answer reads_memory_ = answer::unknown;
  std::size_t staged_[4] = {};
  std::vector<peer_state> peers_;
};

}  // namespace tutti::detail
