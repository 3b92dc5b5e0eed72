// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/launcher.hpp>
#include <tutti/transport/fork_launch.hpp>
#include <tutti/transport/groups.hpp>
#include <tutti/transport/shared_member.hpp>
#include <tutti/transport/process_watch.hpp>
#include <tutti/transport/rendezvous.hpp>

#include <cstdlib>
#include <type_traits>

namespace tutti::shm {
namespace detail {

using namespace tutti::detail;

inline constexpr std::size_t capacity = std::size_t(1) << 40;  // address space, not memory

struct region_owner {
  region owned;
};

/// shm spans one host: what the launcher says of this host must be the whole job.
inline void expect_one_host(const launcher_info& me) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "LOCAL_WORLD_SIZE", "MPI_LOCALNRANKS"}) {
    const char* local = std::getenv(name);
    if (local != nullptr && launcher_number(name, local, 1) != me.size)
      fail(errc::launcher, me.rank, "shm::world on rank %d: the job has %d ranks but %s=%s of them are on this host",
           me.rank, me.size, name, local);
  }
}

inline region meet(const launcher_info& me) {
  expect_one_host(me);
  return rendezvous(me, capacity, seconds_to_wait(me.rank, 60)).meet();
}

/// Runs function(Communicator&) in size forked processes and waits for all.
template <class Communicator, class Function>
void fork_ranks(int size, Function& function) {
  std::size_t bytes = capacity;
  const auto where = rendezvous::make_region(bytes);
  const shared_world world(where, size);
  world.create(0);
  fork_launch(world).run([&](int rank) {
    Communicator comm(where, rank, size);
    function(comm);
  });
}

}  // namespace detail

/// One rank a process of this host. The processes share a mapping that no name leads to: whatever dies,
/// nothing stays behind.
class communicator : private detail::region_owner,
                     public tutti::detail::grouping<communicator, tutti::detail::shared_member> {
 public:
  static constexpr const char* transport_name = "shm";

  /// A rank of a region that launch owns and watches.
  communicator(const tutti::detail::region& where, int rank, int size) : grouping(where, rank, size) {}
  /// A rank of a region of its own, made together with the other processes of the job.
  communicator(tutti::detail::region&& where, const launcher_info& me)
      : region_owner{static_cast<tutti::detail::region&&>(where)}, grouping(owned, me.rank, me.size) {
    watch_.open(world(), rank());
    watch(watch_);
  }
  /// A part of another one's ranks.
  communicator(const communicator& parent, tutti::detail::membership&& group)
      : grouping(parent, static_cast<tutti::detail::membership&&>(group)) {}
  /// Peers that still wait for this rank learn that it is gone. Under launch the parent knows better why.
  ~communicator() {
    if (owned.base() != nullptr) world().set_state(rank(), tutti::detail::rank_state::left);
  }

 private:
  tutti::detail::process_watch watch_;
};

/// The world of this process: rank and size from mpirun, srun, torchrun or TUTTI_*; a world of one where
/// nobody launched it. Collective over the job; all processes must be on this host. The n-th call of each
/// process makes one world together. Throws tutti::error that names who is missing.
inline communicator world() {
  const launcher_info me = find_launcher();
  return communicator(detail::meet(me), me);
}

/// Runs function(communicator&) in size forked processes and waits for all. Standard output is flushed
/// before; a rank that throws or dies makes the others throw, and launch throws the first failure. A rank
/// that has not ended a second after that is killed. Under a launcher the function runs in place, in the
/// launcher's ranks, whose number must be size.
template <class Function>
  requires requires(Function& function, communicator& comm) { function(comm); }
void launch(int size, Function&& function) {
  if (const launcher_info me = find_launcher()) {
    if (me.size != size)
      tutti::detail::fail(errc::bad_argument, me.rank,
                          "shm::launch on rank %d: size is %d here and %d at the launcher (%s)", me.rank, size, me.size,
                          me.source);
    communicator comm = world();
    function(comm);
    return;
  }
  if (size < 1) tutti::detail::fail(errc::bad_argument, -1, "shm::launch: size is %d, at least 1 expected", size);
  detail::fork_ranks<communicator>(size, function);
}

}  // namespace tutti::shm
