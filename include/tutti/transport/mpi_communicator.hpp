// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/launcher.hpp>
#include <tutti/core/message_model.hpp>
#include <tutti/core/parcel.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/cpus.hpp>
#include <tutti/transport/driver.hpp>
#include <tutti/transport/mpi_api.hpp>
#include <tutti/transport/mpi_office.hpp>
#include <tutti/transport/mpi_rank.hpp>
#include <tutti/transport/mpi_world.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <sched.h>

namespace tutti::detail {

/// A communicator over MPI: what is pending on it, how it waits, and what it says when it has waited for too long.
class mpi_communicator : public mpi_rank, public driver<mpi_communicator> {
 public:
  mpi_communicator(std::shared_ptr<mpi_world> world, mpi_handle&& own, std::uint64_t group, std::vector<int>&& members)
      : mpi_rank(std::move(world), std::move(own), group, std::move(members)),
        office_(native_handle(), group, rank(), size(), first_free_tag(), free_tags(), *this->world(), world_rank()),
        spins_(this->world()->size() > usable_cpus() ? 20 : 2000) {
    timeout(seconds_to_wait(rank(), 300));
    MPI_Query_thread(&threads_);
    thread_ = this_thread();
  }

  /// Between processes of one host; networks are slower, and shall be given or measured.
  static constexpr message_model usual_model{2e-6, 1e-10, 5e-11};
  /// What automatic goes by, and where that is from.
  const message_model& model() const { return guide_.model; }
  const guide& model_origin() const { return guide_; }
  /// Collective; before parts are made.
  void go_by(const guide& one) { guide_ = one; }

  /// MPI may be called by this thread.
  bool may_be_used() const { return threads_ >= MPI_THREAD_SERIALIZED || this_thread() == thread_; }
  /// Another thread than the one that made the communicator uses it.
  void expect_threads() const {
    if (threads_ < MPI_THREAD_SERIALIZED)
      fail(errc::library, rank(),
           "a second thread on rank %d: MPI was initialised with %s, at least MPI_THREAD_SERIALIZED is needed", rank(),
           threads_ == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED");
  }

 protected:
  ~mpi_communicator() = default;

 private:
  friend class driver<mpi_communicator>;

  static const void* this_thread() {
    static thread_local char mark;
    return &mark;
  }
  mpi_office& office() { return office_; }
  void expect_usable(const char* call) const {
    expect_active(call);
    if (world()->failed()) throw_recorded_failure();
  }
  void report(errc code, const char* reason) const noexcept { world()->record(code, world_rank(), reason); }

  /// Polls, then yields, looking from time to time whether waiting still makes sense.
  template <class Step>
  bool run_to_end(Step& step, std::int64_t limit) {
    if (!may_be_used()) expect_threads();
    std::int64_t since = 0, next_look = 0, next_question = first_question;
    const std::int64_t begun = limit < 0 ? 0 : now_ns();
    for (int idle = 0;;) {
      const progress result = in_turn(step);
      if (result == progress::done) return true;
      if (limit >= 0 && now_ns() - begun >= limit) return false;
      if (result == progress::waiting) queue().advance_others();
      if (result == progress::moved) {
        idle = 0;
        continue;
      }
      if (idle == 0) since = 0;
      if (++idle < spins_) continue;  // a step that moves nothing has asked MPI, which takes its time
      sched_yield();
      if (idle % 16 != 0) continue;
      const std::int64_t now = now_ns();
      if (since == 0) {
        since = now;
        next_look = now;
        next_question = now + first_question;
      }
      if (now < next_look) continue;
      next_look = now + 1000000;
      in_turn([&] { look_for_trouble(now - since, now, next_question); });
    }
  }
  static constexpr std::int64_t first_question = 50000000;

  void look_for_trouble(std::int64_t waited, std::int64_t now, std::int64_t& next_question) {
    const mpi_world::hold mine(*world());
    world()->poll();
    if (world()->failed()) throw_recorded_failure();
    look_around(collective(), called(rank()));
    if (differs() >= 0) explain_mismatch();
    const parcel* letter = waits_for();
    const int peer = letter != nullptr ? letter->peer : awaited();
    const std::uint64_t operation = letter != nullptr ? 0 : operations_begun();
    if (peer >= 0 && peer != rank()) {
      const answer* heard = heard_of(peer, operation);
      // What it had sent before may come after the note.
      if (heard == nullptr || heard->state != mpi_note::left)
        left_at_ = 0;
      else if (left_at_ == 0)
        left_at_ = now;
      else if (now - left_at_ > 1000000000 && waited > 1000000000)
        throw_left(peer);
    }
    if (waited > timeout_ns()) throw_timeout();
    if (now < next_question) return;
    // One question first; from half the time on everybody is asked, so that the error can say who is silent.
    const bool all = waited > timeout_ns() / 2;
    next_question = now + (waited < 1000000000 ? waited + first_question : 1000000000);
    if (all) next_question = now + timeout_ns() / 8;
    for (int other = 0; other < size(); ++other)
      if (other != rank() && (all || other == peer)) ask(other, operation);
  }

  /// The peers know that their calls differ by hashes; what it is that differs the peer tells.
  [[noreturn]] void explain_mismatch() {
    const std::int64_t begun = now_ns();
    ask(differs(), operations_begun());
    while (!knows_what_differs() && now_ns() - begun < 2000000000) {
      world()->poll();
      if (world()->failed()) throw_recorded_failure();
      sched_yield();
    }
    throw_mismatch();
  }

  [[noreturn]] void throw_left(int peer) const {
    char text[256];
    if (const parcel* letter = waits_for())
      std::snprintf(text, sizeof text, "%s on rank %d: rank %d has left, tag %d", sends_parcel() ? "send" : "recv",
                    rank(), peer, letter->tag);
    else
      std::snprintf(text, sizeof text, "%s on rank %d: rank %d has left before operation %llu", collective(),
                    called(rank()), called(peer), static_cast<unsigned long long>(operations_begun()));
    give_up(errc::peer_failed, world_rank(peer), text);
  }

  [[noreturn]] void throw_timeout() const {
    const double seconds = double(timeout_ns()) * 1e-9;
    char text[384];
    if (const parcel* letter = waits_for()) {
      std::snprintf(text, sizeof text, "%s on rank %d: rank %d %s for %.1f s, tag %d", sends_parcel() ? "send" : "recv",
                    rank(), letter->peer, sends_parcel() ? "has taken nothing" : "has sent nothing", seconds,
                    letter->tag);
      give_up(errc::timeout, world_rank(), text);
    }
    char missing[160] = "";
    std::size_t used = 0;
    for (int peer = 0; peer < size() && used < sizeof missing - 16; ++peer) {
      if (peer == rank()) continue;
      const answer* heard = heard_of(peer, operations_begun());
      if (heard != nullptr && heard->state != mpi_note::not_there) continue;
      used += std::size_t(
          std::snprintf(missing + used, sizeof missing - used, "%s%d", used == 0 ? "" : ", ", called(peer)));
    }
    std::snprintf(text, sizeof text, "%s on rank %d: no progress for %.1f s in operation %llu; not there: %s",
                  collective(), called(rank()), seconds, static_cast<unsigned long long>(operations_begun()),
                  used == 0 ? "nobody, all ranks have entered it" : missing);
    give_up(errc::timeout, world_rank(), text);
  }

  guide guide_{usual_model};
  mpi_office office_;
  int spins_;
  std::int64_t left_at_ = 0;  // since when the awaited rank is known to have left
  int threads_ = MPI_THREAD_SINGLE;
  const void* thread_ = nullptr;
};

}  // namespace tutti::detail
