// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/copy.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/launcher.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/driver.hpp>
#include <tutti/transport/mailboxes.hpp>
#include <tutti/transport/mismatch.hpp>
#include <tutti/transport/post_office.hpp>
#include <tutti/transport/protocol.hpp>
#include <tutti/transport/shared_group.hpp>
#include <tutti/transport/shared_rank.hpp>
#include <tutti/transport/shared_world.hpp>
#include <tutti/transport/sleeper.hpp>

#include <cstring>
#include <vector>

namespace tutti::detail {

/// A communicator of ranks that share memory: messages besides operations and phases, what is pending, and how to wait.
/// Messages. Two mailboxes a direction and pair, one of the collectives, one of send and recv.
class shared_communicator : public shared_rank, public driver<shared_communicator> {
 public:
  /// A rank of the whole world.
  shared_communicator(const region& where, int rank, int size)
      : shared_communicator(shared_world(where, size), shared_world(where, size).everybody(), rank) {
    timeout(seconds_to_wait(rank, 300));
    show_process();
    crowded_ = this->world().processors() < size;
  }
  /// A rank of a part of a world. A group of nobody is one that this process is not in.
  shared_communicator(const shared_world& world, const shared_group& group, int rank)
      : shared_rank(world, group, rank),
        letters_(world.memory_region(), group, rank, 0),
        office_(mailboxes(world.memory_region(), group, rank, 1), world, rank, rank < 0 ? -1 : group.member(rank)) {}
  /// A part of another one's ranks, with its habits.
  shared_communicator(const shared_communicator& parent, const shared_group& group, int rank)
      : shared_communicator(parent.world(), group, rank) {
    take_habits(parent);
    crowded_ = parent.crowded_;
    name_world(parent.world_names());
  }

  /// All counts of the protocol go on from here, as if there had been so many operations, letters and phases: nobody
  /// lives to see them wrap otherwise. All ranks, before the first call; then they meet on another communicator.
  void count_from(flag start) {
    shared_rank::count_from(start);
    letters_.count_from(start);
    office_.count_from(start);
  }

  /// The ranks of the world have fewer processors than there are of them. The same on all ranks, as long as they live.
  bool crowded() const { return crowded_; }

  // ---- messages ---------------------------------------------------------------------------------------

  static constexpr std::size_t max_message() { return mailboxes::letter_bytes; }

  /// Copies the message into the mailbox; false while that is full. The source may be changed at once.
  bool try_send(int to, const void* data, std::size_t bytes) {
    int why = 0;
    std::byte* letter = letters_.open(to, bytes, why);
    if (why != 0) throw_no_memory(bytes, why);
    if (letter == nullptr) return false;
    copy_bytes(letter, data, bytes);
    letters_.post(to);
    return true;
  }

  /// The oldest message from a rank, lent until release; null while there is none.
  const std::byte* arrived(int from) { return joined(from) ? letters_.arrived(from) : nullptr; }
  void release(int from) { letters_.release(from); }

 private:
  friend class driver<shared_communicator>;

  post_office& office() { return office_; }
  void expect_usable(const char* call) const {
    expect_active(call);
    if (hears_of_failure()) throw_recorded_failure();
  }
  void report(errc code, const char* reason) const noexcept { world().record_failure(code, world_rank(), reason); }

  /// Polls, then yields, then sleeps in slices, looking each time whether waiting still makes sense. Spinning is for
  /// who has a processor for each rank.
  template <class Step>
  bool run_to_end(Step& step, std::int64_t limit) {
    const int spins = crowded_ ? 50 : 4000;
    std::int64_t since = 0;
    const std::int64_t begun = limit < 0 ? 0 : now_ns();
    sleeper bed(wake_line_of(world().memory_region(), world().wakes(), world_rank()));
    for (int idle = 0;;) {
      const detail::progress result = in_turn(step);
      if (result == detail::progress::done) return true;
      if (limit >= 0 && now_ns() - begun >= limit) return false;
      const bool others = result == detail::progress::waiting && queue().advance_others();
      if (result == detail::progress::moved) {
        bed.withdraw();
        idle = 0;
        since = 0;
      } else if (idle < spins) {
        if (++idle > eager_spins) relax();
      } else if (idle < spins + 200) {
        ++idle;
        sched_yield();
      } else if (!bed.announced()) {
        bed.announce();  // and look once more
      } else {
        if (since == 0) since = now_ns();
        in_turn([&] { look_for_trouble(since); });
        // Other worlds don't wake us, and a limit may be near.
        bed.sleep(others || limit >= 0 ? 1000000 : 10000000);
      }
    }
  }

  void look_for_trouble(std::int64_t since) {
    if (hears_of_failure()) throw_recorded_failure();
    look_around(collective(), called(rank()));
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank()) continue;
      const auto state = rank_state(memory::observe(world().status(world_rank(peer)).state));
      if (state == rank_state::left && !joined_or_later(peer)) {
        if (hears_of_failure()) throw_recorded_failure();
        if (world().tells_failure()) continue;  // somebody is about to say what it is
        char text[256];
        std::snprintf(text, sizeof text, "%s on rank %d: rank %d has left before operation %llu", collective(),
                      called(rank()), called(peer), static_cast<unsigned long long>(operations_begun()));
        give_up(errc::peer_failed, world_rank(peer), text);
      }
      if (waits_for() != nullptr && waits_for()->peer == peer) look_for_partner(peer, state == rank_state::left);
      if (joined_or_later(peer)) joined(peer);  // throws where the peer called something else
    }
    if (now_ns() - since > timeout_ns()) throw_timeout();
  }
  /// Who has left may have taken or sent the message just before.
  void look_for_partner(int peer, bool left) {
    if (!left || !(sends_parcel() || office_.nothing_from(peer)))
      left_before_ = -1;
    else if (left_before_ == peer)
      throw_parcel("has left", 0);
    else
      left_before_ = peer;  // once more
  }
  [[noreturn]] void throw_parcel(const char* what, double seconds) const {
    char text[256], time[32] = "";
    if (seconds > 0) std::snprintf(time, sizeof time, " for %.1f s", seconds);
    std::snprintf(text, sizeof text, "%s on rank %d: rank %d %s%s, tag %d", sends_parcel() ? "send" : "recv", rank(),
                  waits_for()->peer, what, time, waits_for()->tag);
    give_up(seconds > 0 ? errc::timeout : errc::peer_failed, world_rank(), text);
  }

  [[noreturn]] void throw_timeout() const {
    if (waits_for() != nullptr)
      throw_parcel(sends_parcel() ? "has taken nothing" : "has sent nothing", double(timeout_ns()) * 1e-9);
    char missing[160] = "";
    std::size_t used = 0;
    for (int peer = 0; peer < size() && used < sizeof missing - 16; ++peer)
      if (peer != rank() && !joined_or_later(peer))
        used += std::size_t(
            std::snprintf(missing + used, sizeof missing - used, "%s%d", used == 0 ? "" : ", ", called(peer)));
    char text[384];
    std::snprintf(text, sizeof text, "%s on rank %d: no progress for %.1f s in operation %llu; not there: %s",
                  collective(), called(rank()), double(timeout_ns()) * 1e-9,
                  static_cast<unsigned long long>(operations_begun()),
                  used == 0 ? "nobody, all ranks have entered it" : missing);
    give_up(errc::timeout, world_rank(), text);
  }

  static constexpr int eager_spins = 20;
  bool crowded_ = false;
  int left_before_ = -1;  // whom the last look saw gone
  mailboxes letters_;
  post_office office_;
};

}  // namespace tutti::detail
