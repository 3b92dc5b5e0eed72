// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/launcher.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/core/scratch.hpp>
#include <tutti/transport/cpus.hpp>
#include <tutti/transport/protocol.hpp>
#include <tutti/transport/shared_world.hpp>

#include <cstring>
#include <vector>

namespace tutti::detail {

/// A rank of a shared world: the protocol of operations, messages and phases, and how to wait for them.
///
/// Operations. Each collective is operation i = 1, 2, ... on every rank. A rank publishes (i, hash of its
/// call) in its slot i mod B on every operation, also where it only reads, after it has seen all peers at
/// i-B+1 or later: so a slot is never overwritten while somebody may still read it, and whatever a peer
/// wrote for an operation before i-B+1 is finished with.
/// Messages. One mailbox a direction and pair: the sender counts up `sent`, the receiver `taken`.
/// Phases. Load/store collectives count finished phases, the same number on all ranks.
class shared_communicator {
 public:
  using memory = hardware_memory;
  static constexpr bool load_store = true;

  shared_communicator(const region& where, int rank, int size)
      : world_(where, size), rank_(rank), spins_(size > usable_cpus() ? 50 : 4000), peers_(std::size_t(size)) {
    timeout(seconds_to_wait(rank, 300));
  }
  shared_communicator(const shared_communicator&) = delete;
  shared_communicator& operator=(const shared_communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return world_.size(); }
  /// How long a call may wait for its peers; 300 s unless TUTTI_TIMEOUT or this says otherwise.
  void timeout(double seconds) { timeout_ns_ = std::int64_t(seconds * 1e9); }

 private:
  auto sequence_of(int peer) const {
    return [this, peer](flag operation) -> const flag& { return world_.slot(peer, operation).sequence; };
  }

 public:
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
    world_.call(rank_, next).call = call;
    collective_ = world_.call(rank_, next).call.collective;
    slot_line& mine = world_.slot(rank_, next);
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
    if (world_.slot(peer, operation_).hash != world_.slot(rank_, operation_).hash) throw_mismatch(peer);
    return true;
  }

  /// The word that a peer brought to the current operation, once it has joined.
  std::uint64_t payload_of(int peer) const {
    std::uint64_t payload;
    std::memcpy(&payload, world_.slot(peer, operation_).payload, sizeof payload);
    return payload;
  }

  // ---- messages ---------------------------------------------------------------------------------------

  static constexpr std::size_t max_message() { return layout::letter_bytes; }

  /// Copies the message into the mailbox; false while that is full. The source may be changed at once.
  bool try_send(int to, const void* data, std::size_t bytes) {
    peer_state& peer = peers_[std::size_t(to)];
    if (!peer.letters_to.has_room(world_.taken(rank_, to).taken)) return false;
    const flag next = peer.letters_to.next();
    const std::size_t offset = world_.letter_offset(rank_, to, next);
    commit(offset, bytes, peer.committed[next % layout::letters]);
    std::memcpy(world_.bytes_at(offset), data, bytes);
    peer.letters_to.publish(world_.sent(rank_, to).sent);
    world_.rouse(to);
    return true;
  }

  /// The oldest message from a rank, lent until release; null while there is none.
  const std::byte* arrived(int from) {
    peer_state& peer = peers_[std::size_t(from)];
    if (!joined(from) || !peer.letters_from.has_letter(world_.sent(from, rank_).sent)) return nullptr;
    return world_.bytes_at(world_.letter_offset(from, rank_, peer.letters_from.next()));
  }
  void release(int from) {
    peers_[std::size_t(from)].letters_from.release(world_.taken(from, rank_).taken);
    world_.rouse(from);
  }

  // ---- loads and stores -------------------------------------------------------------------------------

  static constexpr std::size_t stage_bytes() { return layout::stage_bytes; }
  enum part { input_even, input_odd, result_stage };

  /// This rank's own staging memory, with pages for the first bytes of it.
  std::byte* own_stage(part which, std::size_t bytes) {
    const std::size_t offset = world_.stage_offset(rank_, which);
    commit(offset, bytes, staged_[which]);
    return world_.bytes_at(offset);
  }
  const std::byte* peer_stage(int peer, part which) const { return world_.bytes_at(world_.stage_offset(peer, which)); }

  std::uint64_t phases() const { return phases_; }
  /// Chunks that load/store collectives have moved so far: which of two stages is free.
  std::uint64_t turns() const { return turns_; }
  void finish_turn() { ++turns_; }
  /// What this rank wrote to its stage before this is there for whoever sees the phase.
  void finish_phase() {
    memory::publish_ordered(world_.progress(rank_).phases, ++phases_);
    rouse_peers();
  }
  bool has_finished(int peer, std::uint64_t phase) {
    return joined(peer) && peers_[std::size_t(peer)].phases.reached(phase, world_.progress(peer).phases);
  }

  // ---- waiting ----------------------------------------------------------------------------------------

  /// Runs step() until it is done. Whatever it throws (an operator may) leaves this rank in the middle of an
  /// operation: the world is told, so that no peer waits for the rest of it.
  template <class Step>
  void drive(Step&& step) {
#if TUTTI_EXCEPTIONS
    try {
      run_to_end(step);
    } catch (const error& thrown) {
      world_.record_failure(thrown.code(), rank_, thrown.what());  // lost where it was recorded before
      throw;
    } catch (const std::exception& thrown) {
      world_.record_failure(errc::peer_failed, rank_, thrown.what());
      throw;
    } catch (...) {
      world_.record_failure(errc::peer_failed, rank_, "threw something that is no std::exception");
      throw;
    }
#else
    run_to_end(step);
#endif
  }

  /// Memory for accumulators that outlives the call.
  void* scratch(std::size_t bytes) { return scratch_.at_least(bytes); }

  // ---- failure ----------------------------------------------------------------------------------------

  const shared_world& world() const { return world_; }

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

  // ---- symmetric memory -------------------------------------------------------------------------------

  /// Takes bytes a rank from the heap, at the same place on all ranks; offset of this rank's part.
  std::size_t reserve_heap(std::size_t bytes) {
    const layout& places = world_.places();
    const std::size_t each = round_up(bytes == 0 ? 1 : bytes, page_bytes);
    if (each > (places.bytes - places.heap - heap_top_) / std::size_t(size()))
      fail(errc::resource, rank_, "allocate on rank %d: %zu bytes a rank asked, %zu left in the shared region", rank_,
           each, (places.bytes - places.heap - heap_top_) / std::size_t(size()));
    const std::size_t begin = places.heap + heap_top_ + std::size_t(rank_) * each;
    heap_top_ += each * std::size_t(size());
    return begin;
  }

 private:
  struct peer_state {
    operation_view<memory, layout::operations> operations;
    mailbox_writer<memory, layout::letters> letters_to;
    mailbox_reader<memory> letters_from;
    phase_view<memory> phases;
    std::size_t committed[layout::letters] = {};
  };

  /// Polls, then yields, then sleeps in slices, looking each time whether waiting still makes sense.
  template <class Step>
  void run_to_end(Step& step) {
    std::int64_t since = 0;
    std::uint32_t word = 0;
    bool announced = false;
    for (int idle = 0;;) {
      const detail::progress result = step();
      if (result != detail::progress::waiting && announced) {
        memory::publish(world_.wake(rank_).asleep, 0);
        announced = false;
      }
      if (result == detail::progress::done) return;
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
        word = std::atomic_ref<std::uint32_t>(world_.wake(rank_).word).load(std::memory_order_acquire);
        memory::publish_ordered(world_.wake(rank_).asleep, 1);
        announced = true;
      } else {
        if (since == 0) since = now_ns();
        look_for_trouble(since);
        futex_sleep(&world_.wake(rank_).word, word, 10000000);
        memory::publish(world_.wake(rank_).asleep, 0);
        announced = false;
      }
    }
  }

  void rouse_peers() const {
    for (int peer = 0; peer < size(); ++peer)
      if (peer != rank_) world_.rouse(peer);
  }

  void commit(std::size_t offset, std::size_t bytes, std::size_t& there) {
    if (bytes <= there) return;
    const std::size_t need = round_up(bytes, page_bytes);
    if (const int reason = world_.memory_region().commit(offset, need); reason != 0) {
      char text[256];
      std::snprintf(text, sizeof text, "%s on rank %d: no shared memory for %zu bytes: %s", collective_, rank_, need,
                    std::strerror(reason));
      give_up(errc::resource, rank_, text);
    }
    there = need;
  }

  void look_for_trouble(std::int64_t since) {
    if (memory::observe(world_.failure().published) != 0) throw_recorded_failure();
    if (watcher_ != nullptr) watcher_(*this, watcher_state_);
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank_) continue;
      const auto state = rank_state(memory::observe(world_.status(peer).state));
      if (state == rank_state::left && !joined_or_later(peer)) {
        char text[256];
        std::snprintf(text, sizeof text, "%s on rank %d: rank %d has left before operation %llu", collective_, rank_,
                      peer, static_cast<unsigned long long>(operation_));
        give_up(errc::peer_failed, peer, text);
      }
      if (joined_or_later(peer)) joined(peer);  // throws where the peer called something else
    }
    if (now_ns() - since > timeout_ns_) throw_timeout();
  }
  bool joined_or_later(int peer) const {
    return operation_ == 0 || memory::observe_ordered(world_.slot(peer, operation_).sequence) >= operation_;
  }

  [[noreturn]] void throw_recorded_failure() const {
    const failure_line& line = world_.failure();
    fail(errc::peer_failed, line.rank, "%s on rank %d: rank %d failed: %s", collective_, rank_, line.rank, line.text);
  }

  [[noreturn]] void throw_timeout() const {
    char missing[160] = "";
    std::size_t used = 0;
    for (int peer = 0; peer < size() && used < sizeof missing - 16; ++peer)
      if (peer != rank_ && !joined_or_later(peer))
        used += std::size_t(std::snprintf(missing + used, sizeof missing - used, "%s%d", used == 0 ? "" : ", ", peer));
    char text[384];
    std::snprintf(text, sizeof text, "%s on rank %d: no progress for %.1f s in operation %llu; not there: %s",
                  collective_, rank_, double(timeout_ns_) * 1e-9, static_cast<unsigned long long>(operation_),
                  used == 0 ? "nobody, all ranks have entered it" : missing);
    give_up(errc::timeout, rank_, text);
  }

  [[noreturn]] void throw_mismatch(int peer) const {
    const descriptor& mine = world_.call(rank_, operation_).call;
    const descriptor& theirs = world_.call(peer, operation_).call;
    char what[192];
    const auto number = [&](const char* name, unsigned long long here, unsigned long long there) {
      std::snprintf(what, sizeof what, "%s is %llu here and %llu on rank %d", name, here, there, peer);
    };
    const auto name = [&](const char* kind, const char* here, const char* there) {
      std::snprintf(what, sizeof what, "%s is %s here and %s on rank %d", kind, here, there, peer);
    };
    if (std::strcmp(mine.collective, theirs.collective) != 0)
      name("the collective", mine.collective, theirs.collective);
    else if (std::strcmp(mine.type, theirs.type) != 0)
      name("the element type", mine.type, theirs.type);
    else if (mine.element_bytes != theirs.element_bytes)
      number("the element size in bytes", mine.element_bytes, theirs.element_bytes);
    else if (mine.count != theirs.count)
      number("count", mine.count, theirs.count);
    else if (mine.root != theirs.root)
      number("root", static_cast<unsigned long long>(mine.root), static_cast<unsigned long long>(theirs.root));
    else if (std::strcmp(mine.op, theirs.op) != 0)
      name("op", mine.op, theirs.op);
    else if (std::strcmp(mine.algorithm, theirs.algorithm) != 0)
      name("the algorithm", mine.algorithm, theirs.algorithm);
    else
      number("the chunk length in elements", mine.chunk, theirs.chunk);
    char text[384];
    std::snprintf(text, sizeof text, "%s on rank %d: %s (operation %llu)", mine.collective, rank_, what,
                  static_cast<unsigned long long>(operation_));
    give_up(errc::mismatch, rank_, text);
  }

  shared_world world_;
  int rank_;
  int spins_;
  std::uint64_t operation_ = 0;
  std::uint64_t phases_ = 0;
  std::uint64_t turns_ = 0;
  std::int64_t timeout_ns_ = 0;
  const char* collective_ = "tutti";
  std::size_t heap_top_ = 0;
  std::size_t staged_[3] = {};
  class scratch scratch_;
  std::vector<peer_state> peers_;
  watcher watcher_ = nullptr;
  void* watcher_state_ = nullptr;
};

}  // namespace tutti::detail
