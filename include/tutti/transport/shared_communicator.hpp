// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/launcher.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/core/scratch.hpp>
#include <tutti/transport/cpus.hpp>
#include <tutti/transport/mailboxes.hpp>
#include <tutti/transport/mismatch.hpp>
#include <tutti/transport/post_office.hpp>
#include <tutti/transport/protocol.hpp>
#include <tutti/transport/shared_group.hpp>
#include <tutti/transport/shared_world.hpp>

#include <cstring>
#include <vector>

namespace tutti::detail {

/// A rank of a group that shares memory: the protocol of operations, messages and phases, and how to wait for them.
///
/// Operations. Each collective is operation i = 1, 2, ... on every rank. A rank publishes (i, hash of its
/// call) in its slot i mod B on every operation, also where it only reads, after it has seen all peers at
/// i-B+1 or later: so a slot is never overwritten while somebody may still read it, and whatever a peer
/// wrote for an operation before i-B+1 is finished with.
/// Messages. Two mailboxes a direction and pair, one of the collectives, one of send and recv.
/// Phases. Load/store collectives count finished phases, the same number on all ranks.
class shared_communicator {
 public:
  using memory = hardware_memory;
  static constexpr bool load_store = true;

  /// A rank of the whole world.
  shared_communicator(const region& where, int rank, int size)
      : shared_communicator(shared_world(where, size), shared_world(where, size).everybody(), rank) {
    timeout(seconds_to_wait(rank, 300));
  }
  /// A rank of a part of a world. A group of nobody is one that this process is not in.
  shared_communicator(const shared_world& world, const shared_group& group, int rank)
      : world_(world),
        group_(group),
        rank_(rank),
        spins_(world.size() > usable_cpus() ? 50 : 4000),
        peers_(std::size_t(group.size())),
        letters_(world.memory_region(), group, rank, 0),
        office_(mailboxes(world.memory_region(), group, rank, 1), rank, group.size()) {}
  /// A part of another one's ranks, with its habits.
  shared_communicator(const shared_communicator& parent, const shared_group& group, int rank)
      : shared_communicator(parent.world_, group, rank) {
    timeout_ns_ = parent.timeout_ns_;
    sends_block_ = parent.sends_block_;
    watcher_ = parent.watcher_;
    watcher_state_ = parent.watcher_state_;
  }
  shared_communicator(const shared_communicator&) = delete;
  shared_communicator& operator=(const shared_communicator&) = delete;

  /// -1 where this process is not in the group.
  int rank() const { return rank_; }
  /// 0 where this process is not in the group.
  int size() const { return group_.size(); }
  /// True where this process is in the group: only there may it be used.
  bool active() const { return rank_ >= 0; }
  /// How long a call may wait for its peers; 300 s unless TUTTI_TIMEOUT or this says otherwise.
  void timeout(double seconds) { timeout_ns_ = std::int64_t(seconds * 1e9); }
  double timeout() const { return double(timeout_ns_) * 1e-9; }
  /// send waits until its receiver has the message: shows programs that only work because messages are buffered.
  void block_sends(bool always) { sends_block_ = always; }
  bool sends_block() const { return sends_block_; }

 private:
  auto sequence_of(int peer) const {
    return [this, peer](flag operation) -> const flag& { return group_.slot(peer, operation).sequence; };
  }

 public:
  void expect_active(const char* call) const {
    if (!active()) fail(errc::bad_argument, -1, "%s on a communicator of a group that this process is not in", call);
  }

  // ---- operations -------------------------------------------------------------------------------------

  /// Enters the next operation. done once the peers are near enough and the call is published. A word of
  /// payload travels with it.
  detail::progress try_begin(const descriptor& call, std::uint64_t payload = 0) {
    const std::uint64_t next = operation_ + 1;
    collective_ = call.collective;
    if (memory::observe(world_.failure().published) != 0) throw_recorded_failure();
    for (int peer = 0; peer < size(); ++peer)
      if (peer != rank_ && !peers_[std::size_t(peer)].operations.may_begin(next, sequence_of(peer)))
        return detail::progress::waiting;
    group_.call(rank_, next).call = call;
    collective_ = group_.call(rank_, next).call.collective;
    slot_line& mine = group_.slot(rank_, next);
    mine.hash = call.hash;
    std::memcpy(mine.payload, &payload, sizeof payload);
    operation_ = next;
    memory::publish_ordered(mine.sequence, next);
    rouse_peers();
    return detail::progress::done;
  }

  /// True once the peer has entered the current operation; throws if it called something else.
  bool joined(int peer) {
    auto& view = peers_[std::size_t(peer)].operations;
    if (view.last_joined() >= operation_) return true;
    if (!view.joined(operation_, sequence_of(peer))) return false;
    if (group_.slot(peer, operation_).hash != group_.slot(rank_, operation_).hash) throw_mismatch(peer);
    return true;
  }

  /// The word that a peer brought to the current operation, once it has joined.
  std::uint64_t payload_of(int peer) const {
    std::uint64_t payload;
    std::memcpy(&payload, group_.slot(peer, operation_).payload, sizeof payload);
    return payload;
  }

  // ---- messages ---------------------------------------------------------------------------------------

  static constexpr std::size_t max_message() { return mailboxes::letter_bytes; }

  /// Copies the message into the mailbox; false while that is full. The source may be changed at once.
  bool try_send(int to, const void* data, std::size_t bytes) {
    int why = 0;
    std::byte* letter = letters_.open(to, bytes, why);
    if (why != 0) throw_no_memory(bytes, why);
    if (letter == nullptr) return false;
    std::memcpy(letter, data, bytes);
    letters_.post(to);
    return true;
  }

  /// The oldest message from a rank, lent until release; null while there is none.
  const std::byte* arrived(int from) { return joined(from) ? letters_.arrived(from) : nullptr; }
  void release(int from) { letters_.release(from); }

  /// send and recv: posts a message, which then moves with everything that waits.
  void post(parcel& one, bool sends) {
    expect_active(sends ? "send" : "recv");
    if (memory::observe(world_.failure().published) != 0) throw_recorded_failure();
    if (sends)
      office_.send(one);
    else
      office_.receive(one);
  }
  /// Waits for it, or for at most so many nanoseconds (negative: to the deadline); true where it is done.
  bool wait(parcel& one, bool sends, std::int64_t nanoseconds) {
    const auto step = [&] {
      const detail::progress made = office_.queue().advance();
      return one.done ? detail::progress::done : made == detail::progress::done ? detail::progress::waiting : made;
    };
    const parcel* const before = waits_for_;
    waits_for_ = &one;
    sends_parcel_ = sends;
    if (nanoseconds < 0)
      drive_pending(step);
    else
      drive_for(step, nanoseconds);
    waits_for_ = before;
    return one.done;
  }
  /// Takes it back; false where some of it has moved.
  bool withdraw(parcel& one) { return office_.withdraw(one); }
  /// It is gone after this, however far it came: where that was halfway, no other message moves any more.
  void forget(parcel& one) {
    if (!one.done && !office_.withdraw(one)) office_.stop();
  }

  // ---- loads and stores -------------------------------------------------------------------------------

  static constexpr std::size_t stage_bytes() { return group_layout::stage_bytes; }
  enum part { input_even, input_odd, result_stage };

  /// This rank's own staging memory, with pages for the first bytes of it.
  std::byte* own_stage(part which, std::size_t bytes) {
    const std::size_t offset = group_.stage_offset(rank_, which);
    commit(offset, bytes, staged_[which]);
    return group_.bytes_at(offset);
  }
  const std::byte* peer_stage(int peer, part which) const { return group_.bytes_at(group_.stage_offset(peer, which)); }

  std::uint64_t phases() const { return phases_; }
  /// Chunks that load/store collectives have moved so far: which of two stages is free.
  std::uint64_t turns() const { return turns_; }
  void finish_turn() { ++turns_; }
  /// What this rank wrote to its stage before this is there for whoever sees the phase.
  void finish_phase() {
    memory::publish_ordered(group_.progress(rank_).phases, ++phases_);
    rouse_peers();
  }
  bool has_finished(int peer, std::uint64_t phase) {
    return joined(peer) && peers_[std::size_t(peer)].phases.reached(phase, group_.progress(peer).phases);
  }

  // ---- waiting ----------------------------------------------------------------------------------------

  /// What is pending on this communicator, and memory for it.
  operation_queue& queue() { return queue_; }
  pool& memory_pool() { return pool_; }

  /// Runs step() until it is done, after what was issued before it. Whatever it throws (an operator may) leaves this
  /// rank in the middle of an operation: the world is told, so that no peer waits for the rest of it.
  template <class Step>
  void drive(Step&& step) {
    if (!queue_.empty()) drive_pending([this] { return queue_.advance(); });
    drive_pending(step);
  }
  /// The same for a step that moves what is pending itself.
  template <class Step>
  void drive_pending(Step&& step) {
    guarded([&] { run_to_end(step, -1); });
  }
  /// For at most so long; true where it is done.
  template <class Step>
  bool drive_for(Step&& step, std::int64_t nanoseconds) {
    bool done = false;
    guarded([&] { done = run_to_end(step, nanoseconds); });
    return done;
  }
  /// The peers get an error instead of waiting for this rank.
  void abandon(const char* reason) const noexcept { world_.record_failure(errc::peer_failed, world_rank(), reason); }

 private:
  template <class Action>
  void guarded(Action&& action) {
#if TUTTI_EXCEPTIONS
    try {
      action();
    } catch (const error& thrown) {
      world_.record_failure(thrown.code(), world_rank(), thrown.what());  // lost where it was recorded before
      let_go_of_messages();
      throw;
    } catch (const std::exception& thrown) {
      world_.record_failure(errc::peer_failed, world_rank(), thrown.what());
      let_go_of_messages();
      throw;
    } catch (...) {
      world_.record_failure(errc::peer_failed, world_rank(), "threw something that is no std::exception");
      let_go_of_messages();
      throw;
    }
#else
    action();
#endif
  }
  /// Those of blocking calls that throw are gone with them.
  void let_go_of_messages() {
    office_.stop();
    waits_for_ = nullptr;
  }

 public:
  /// Memory for accumulators that outlives the call.
  void* scratch(std::size_t bytes) { return scratch_.at_least(bytes); }

  // ---- failure ----------------------------------------------------------------------------------------

  const shared_world& world() const { return world_; }
  const shared_group& group() const { return group_; }
  /// A member's rank in the world, which failures go by.
  int world_rank(int member) const { return group_.member(member); }
  int world_rank() const { return active() ? world_rank(rank_) : -1; }

  /// Something outside that can tell whether a process lives; only worlds without a parent need it.
  using watcher = void (*)(const shared_communicator&, void*);
  void watch(watcher look, void* state) {
    watcher_ = look;
    watcher_state_ = state;
  }

  /// Throws, and makes the failure known so that no peer waits for this rank.
  [[noreturn]] void give_up(errc code, int about, const char* text) const {
    world_.record_failure(code, about, text);
    fail(code, about, "%s", text);
  }

 private:
  struct peer_state {
    operation_view<memory, group_layout::operations> operations;
    phase_view<memory> phases;
  };

  /// Polls, then yields, then sleeps in slices, looking each time whether waiting still makes sense.
  template <class Step>
  bool run_to_end(Step& step, std::int64_t limit) {
    std::int64_t since = 0;
    const std::int64_t begun = limit < 0 ? 0 : now_ns();
    std::uint32_t word = 0;
    bool announced = false;
    for (int idle = 0;;) {
      const detail::progress result = step();
      if (result != detail::progress::waiting && announced) {
        memory::publish(group_.wake(rank_).asleep, 0);
        announced = false;
      }
      if (result == detail::progress::done) return true;
      if (limit >= 0 && now_ns() - begun >= limit) {
        if (announced) memory::publish(group_.wake(rank_).asleep, 0);
        return false;
      }
      const bool others = result == detail::progress::waiting && queue_.advance_others();
      if (result == detail::progress::moved) {
        idle = 0;
        since = 0;
      } else if (idle < spins_) {
        ++idle;
        relax();
      } else if (idle < spins_ + 200) {
        ++idle;
        sched_yield();
      } else if (!announced) {
        // From here on whoever publishes wakes us; look once more before sleeping.
        word = std::atomic_ref<std::uint32_t>(group_.wake(rank_).word).load(std::memory_order_acquire);
        memory::publish_ordered(group_.wake(rank_).asleep, 1);
        announced = true;
      } else {
        if (since == 0) since = now_ns();
        look_for_trouble(since);
        // Nothing wakes us for other communicators, and a limit may be near.
        futex_sleep(&group_.wake(rank_).word, word, others || limit >= 0 ? 100000 : 10000000);
        memory::publish(group_.wake(rank_).asleep, 0);
        announced = false;
      }
    }
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

  [[noreturn]] void throw_no_memory(std::size_t bytes, int reason) const {
    char text[256];
    std::snprintf(text, sizeof text, "%s on rank %d: no shared memory for %zu bytes: %s", collective_, rank_, bytes,
                  std::strerror(reason));
    give_up(errc::resource, world_rank(), text);
  }

  void look_for_trouble(std::int64_t since) {
    if (memory::observe(world_.failure().published) != 0) throw_recorded_failure();
    if (watcher_ != nullptr) watcher_(*this, watcher_state_);
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank_) continue;
      const auto state = rank_state(memory::observe(world_.status(world_rank(peer)).state));
      if (state == rank_state::left && !joined_or_later(peer)) {
        char text[256];
        std::snprintf(text, sizeof text, "%s on rank %d: rank %d has left before operation %llu", collective_, rank_,
                      peer, static_cast<unsigned long long>(operation_));
        give_up(errc::peer_failed, world_rank(peer), text);
      }
      if (state == rank_state::left && waits_for_ != nullptr && waits_for_->peer == peer &&
          (sends_parcel_ || office_.nothing_from(peer)))
        throw_parcel("has left", 0);
      if (joined_or_later(peer)) joined(peer);  // throws where the peer called something else
    }
    if (now_ns() - since > timeout_ns_) throw_timeout();
  }
  bool joined_or_later(int peer) const {
    return operation_ == 0 || memory::observe_ordered(group_.slot(peer, operation_).sequence) >= operation_;
  }

  [[noreturn]] void throw_recorded_failure() const {
    const failure_line& line = world_.failure();
    fail(errc::peer_failed, line.rank, "%s on rank %d: rank %d%s failed: %s", collective_, rank_, line.rank,
         size() == world_.size() ? "" : " of the world", line.text);
  }

  [[noreturn]] void throw_parcel(const char* what, double seconds) const {
    char text[256], time[32] = "";
    if (seconds > 0) std::snprintf(time, sizeof time, " for %.1f s", seconds);
    std::snprintf(text, sizeof text, "%s on rank %d: rank %d %s%s, tag %d", sends_parcel_ ? "send" : "recv", rank_,
                  waits_for_->peer, what, time, waits_for_->tag);
    give_up(seconds > 0 ? errc::timeout : errc::peer_failed, world_rank(), text);
  }

  [[noreturn]] void throw_timeout() const {
    if (waits_for_ != nullptr)
      throw_parcel(sends_parcel_ ? "has taken nothing" : "has sent nothing", double(timeout_ns_) * 1e-9);
    char missing[160] = "";
    std::size_t used = 0;
    for (int peer = 0; peer < size() && used < sizeof missing - 16; ++peer)
      if (peer != rank_ && !joined_or_later(peer))
        used += std::size_t(std::snprintf(missing + used, sizeof missing - used, "%s%d", used == 0 ? "" : ", ", peer));
    char text[384];
    std::snprintf(text, sizeof text, "%s on rank %d: no progress for %.1f s in operation %llu; not there: %s",
                  collective_, rank_, double(timeout_ns_) * 1e-9, static_cast<unsigned long long>(operation_),
                  used == 0 ? "nobody, all ranks have entered it" : missing);
    give_up(errc::timeout, world_rank(), text);
  }

  [[noreturn]] void throw_mismatch(int peer) const {
    const descriptor& mine = group_.call(rank_, operation_).call;
    const descriptor& theirs = group_.call(peer, operation_).call;
    char what[192];
    describe_mismatch(mine, theirs, peer, what, sizeof what);
    char text[384];
    std::snprintf(text, sizeof text, "%s on rank %d: %s (operation %llu)", mine.collective, rank_, what,
                  static_cast<unsigned long long>(operation_));
    give_up(errc::mismatch, world_rank(), text);
  }

  shared_world world_;
  shared_group group_;
  int rank_;
  int spins_;
  std::uint64_t operation_ = 0;
  std::uint64_t phases_ = 0;
  std::uint64_t turns_ = 0;
  std::int64_t timeout_ns_ = 0;
  const char* collective_ = "tutti";
  std::size_t staged_[3] = {};
  class scratch scratch_;
  pool pool_;
  operation_queue queue_;
  std::vector<peer_state> peers_;
  mailboxes letters_;
  post_office office_;
  bool sends_block_ = false;
  const parcel* waits_for_ = nullptr;
  bool sends_parcel_ = false;
  watcher watcher_ = nullptr;
  void* watcher_state_ = nullptr;
};

}  // namespace tutti::detail
