// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/launcher.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/parcel.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/host_map.hpp>
#include <tutti/transport/mpi.hpp>
#include <tutti/transport/rendezvous.hpp>
#include <tutti/transport/shared_fate.hpp>
#include <tutti/transport/shm.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::detail {

/// The shared memory of this host's ranks, made together. Collective over all hosts: where one fails, all throw.
inline region meet_on_host(const mpi::communicator& far, const host_map& hosts) {
  struct report {
    int code = 0;
    char text[400] = "";
  } mine;
  char key[64];
  std::snprintf(key, sizeof key, "mpi:%016llx", static_cast<unsigned long long>(hosts.secret()));
  rendezvous meeting({hosts.number_here(), hosts.ranks_here(), "MPI"}, shm::detail::capacity,
                     seconds_to_wait(far.rank(), 60), key);
  region made;
#if TUTTI_EXCEPTIONS
  try {
    made = meeting.meet();
  } catch (const error& thrown) {
    mine.code = 1 + int(thrown.code());
    std::snprintf(mine.text, sizeof mine.text, "%s", thrown.what());
  }
#else
  made = meeting.meet();
#endif
  const int fails = mine.code == 0 ? far.size() : far.rank();
  int first = fails;
  expect_mpi(MPI_Allreduce(&fails, &first, 1, MPI_INT, MPI_MIN, far.native_handle()), far.rank(), "MPI_Allreduce");
  if (first == far.size()) return made;
  expect_mpi(MPI_Bcast(&mine, int(sizeof mine), MPI_BYTE, first, far.native_handle()), far.rank(), "MPI_Bcast");
  fail(errc(mine.code - 1), first,
       "hybrid::communicator on rank %d: rank %d shares no memory with its host's ranks: %s", far.rank(), first,
       mine.text);
}

/// A rank among several hosts: MPI between all ranks, and shared memory between those of its host. Where all ranks of
/// a communicator are on one host, every call of it goes by shared memory.
class hybrid_member {
 public:
  using tutti_roads = hybrid_member;
  static constexpr bool load_store = false;

  /// What a part of a communicator is made of.
  struct membership {
    int color, key;
  };

  /// All ranks of anything that MPI knows as a communicator, which stays the caller's. Collective.
  explicit hybrid_member(MPI_Comm everybody)
      : hybrid_member(everybody, guide::from_environment(mpi::communicator::usual_model)) {}
  /// by: what automatic goes by between hosts.
  hybrid_member(MPI_Comm everybody, const guide& by)
      : far_(everybody, mpi::communicator::usual_model),
        near_(nearby(host_map(far_.native_handle()))),
        one_host_(near_.size() == far_.size()) {
    fate_ = std::make_unique<shared_fate>(near_, far_);
    for (int member = 0; member < size(); ++member)
      if (hosts_[std::size_t(member)] == host()) of_this_host_.push_back(member);
    if (!one_host_) near_.name_world(&of_this_host_);
    int other = 0;
    while (other < size() && hosts_[std::size_t(other)] == hosts_[0]) ++other;
    far_.go_by(agreed_guide(by, far_.native_handle(), other, mpi::communicator::usual_model));
  }

  int rank() const { return far_.rank(); }
  int size() const { return far_.size(); }
  bool active() const { return far_.active(); }
  void expect_active(const char* call) const { far_.expect_active(call); }

  // ---- the two roads ----------------------------------------------------------------------------------

  /// All ranks are on this host.
  bool one_host() const { return one_host_; }
  /// The ranks of this host, by shared memory.
  shm::communicator& near() { return near_; }
  const shm::communicator& near() const { return near_; }
  /// All ranks, by MPI.
  mpi::communicator& far() { return far_; }
  const mpi::communicator& far() const { return far_; }
  /// The host of each rank, as the first rank of the world that is there.
  const std::vector<int>& hosts() const { return hosts_; }
  /// Our own duplicate of the MPI communicator of all ranks, for `native`.
  MPI_Comm native_handle() const { return far_.native_handle(); }

  // ---- what a communicator does, by one of them -------------------------------------------------------

  progress try_begin(const descriptor& call) { return one_host_ ? near_.try_begin(call) : far_.try_begin(call); }
  progress try_begin(const descriptor& call, std::uint64_t word) {
    return one_host_ ? near_.try_begin(call, word) : far_.try_begin(call, word);
  }
  bool joined(int peer) { return one_host_ ? near_.joined(peer) : far_.joined(peer); }
  std::uint64_t payload_of(int peer) const { return one_host_ ? near_.payload_of(peer) : far_.payload_of(peer); }

  template <class Step>
  void drive(Step&& step) {
    one_host_ ? near_.drive(step) : far_.drive(step);
  }
  template <class Step>
  void drive_pending(Step&& step) {
    one_host_ ? near_.drive_pending(step) : far_.drive_pending(step);
  }
  template <class Step>
  bool drive_for(Step&& step, std::int64_t nanoseconds) {
    return one_host_ ? near_.drive_for(step, nanoseconds) : far_.drive_for(step, nanoseconds);
  }
  template <class Action>
  auto in_turn(Action&& action) {
    return one_host_ ? near_.in_turn(action) : far_.in_turn(action);
  }
  void abandon(errc code, const char* reason) noexcept {
    one_host_ ? near_.abandon(code, reason) : far_.abandon(code, reason);
  }

  operation_queue& queue() { return one_host_ ? near_.queue() : far_.queue(); }
  pool& memory_pool() { return one_host_ ? near_.memory_pool() : far_.memory_pool(); }
  void* scratch(std::size_t bytes) { return one_host_ ? near_.scratch(bytes) : far_.scratch(bytes); }
  void enqueue(operation& one) { one_host_ ? near_.enqueue(one) : far_.enqueue(one); }
  void forget(operation& one) { one_host_ ? near_.forget(one) : far_.forget(one); }

  void post(parcel& one, bool sends) { one_host_ ? near_.post(one, sends) : far_.post(one, sends); }
  bool wait(parcel& one, bool sends, std::int64_t nanoseconds) {
    return one_host_ ? near_.wait(one, sends, nanoseconds) : far_.wait(one, sends, nanoseconds);
  }
  bool withdraw(parcel& one) { return one_host_ ? near_.withdraw(one) : far_.withdraw(one); }
  void drop(parcel& one) { one_host_ ? near_.drop(one) : far_.drop(one); }

  /// As of every communicator.
  void timeout(double seconds) {
    near_.timeout(seconds);
    far_.timeout(seconds);
  }
  double timeout() const { return far_.timeout(); }
  void block_sends(bool always) {
    near_.block_sends(always);
    far_.block_sends(always);
  }
  bool sends_block() const { return far_.sends_block(); }

  void let_help(bool helped) {
    if (helped) far_.expect_threads();
    one_host_ ? near_.let_help(helped) : far_.let_help(helped);
  }
  bool has_helper() const { return one_host_ ? near_.has_helper() : far_.has_helper(); }
  void help(std::int64_t nanoseconds) { one_host_ ? near_.help(nanoseconds) : far_.help(nanoseconds); }
  void ring() { one_host_ ? near_.ring() : far_.ring(); }
  std::uint32_t rings() const { return one_host_ ? near_.rings() : far_.rings(); }
  void await_ring(std::uint32_t heard, std::int64_t nanoseconds) {
    one_host_ ? near_.await_ring(heard, nanoseconds) : far_.await_ring(heard, nanoseconds);
  }

  /// Memory that the ranks of a host share. Collective; every rank asks for the same count.
  template <class Element>
  auto allocate(std::size_t count) {
    if (!one_host_) far_.template agree_to_allocate<Element>(count);
    return near_.template allocate<Element>(count);
  }

  /// The colors that this communicator was made by: of all ranks of its parent.
  const std::vector<int>& colors_at_birth() const { return far_.colors_at_birth(); }
  /// Its ranks there.
  const std::vector<int>& parents_ranks() const { return far_.parents_ranks(); }
  void name_ranks(std::vector<int>&& names) {
    std::vector<int> of_this_host;
    for (int member = 0; member < size(); ++member)
      if (hosts_[std::size_t(member)] == host()) of_this_host.push_back(names[std::size_t(member)]);
    near_.name_ranks(std::move(of_this_host));
    far_.name_ranks(std::move(names));
  }

 protected:
  hybrid_member(hybrid_member& parent, membership part)
      : world_hosts_(parent.world_hosts_),
        far_(parent.far_.split(part.color, part.key)),
        near_(parent.near_.split(part.color, part.key)),
        one_host_(near_.size() == far_.size()) {
    know_hosts();
  }
  membership form_group(int color, int key) {
    expect_active("split");
    return {color, key};
  }
  /// A host has several of the ranks.
  bool shares_hosts() const {
    for (std::size_t rank = 0; rank < hosts_.size(); ++rank)
      for (std::size_t other = 0; other < rank; ++other)
        if (hosts_[other] == hosts_[rank]) return true;
    return false;
  }
  /// As in hosts(); -1 where this process is not in the group.
  int host() const { return active() ? hosts_[std::size_t(rank())] : -1; }

 private:
  shm::communicator nearby(const host_map& map) {
    world_hosts_ = std::make_shared<const std::vector<int>>(map.first());
    know_hosts();
    return shm::communicator(meet_on_host(far_, map), {map.number_here(), map.ranks_here(), "MPI"});
  }
  void know_hosts() {
    for (int member = 0; member < far_.size(); ++member)
      hosts_.push_back((*world_hosts_)[std::size_t(far_.world_rank(member))]);
  }

  std::shared_ptr<const std::vector<int>> world_hosts_;
  std::vector<int> hosts_, of_this_host_;  // the latter of the world
  mpi::communicator far_;
  shm::communicator near_;
  bool one_host_;
  std::unique_ptr<shared_fate> fate_;  // of the world
};

}  // namespace tutti::detail
