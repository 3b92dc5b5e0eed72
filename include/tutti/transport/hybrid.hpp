// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/groups.hpp>
#include <tutti/transport/hybrid_member.hpp>

#include <utility>

namespace tutti::hybrid {

/// One rank a process on one host or several: shared memory between the ranks of a host, MPI between hosts. One type
/// wherever it runs. Which ranks share a host is found out, not believed: by the kernel's boot, the user and
/// TUTTI_HOST, and then by whether they reach each other.
///
/// On one host  every call goes by shared memory, as over tutti::shm; MPI is silent.
/// On several   automatic folds within the hosts first and then between them, where the collective can (all_reduce,
///              reduce, broadcast), see hierarchical and lanes. The others, and every algorithm that a call names, run
///              by MPI's messages between all ranks. node() is by shared memory again.
/// native       hands the call to MPI's own collective, wherever the ranks are.
class communicator final : public tutti::detail::grouping<communicator, tutti::detail::hybrid_member> {
 public:
  static constexpr const char* transport_name = "hybrid";

  /// All ranks of anything that converts to MPI_Comm, which stays the caller's. Collective. Throws as
  /// mpi::communicator, and where the ranks of a host can't share memory.
  explicit communicator(MPI_Comm comm) : grouping(comm) { begin(); }
  /// The same with a message_model for automatic between hosts, or tutti::tune: the same on all ranks.
  communicator(MPI_Comm comm, const tutti::detail::guide& by) : grouping(comm, by) { begin(); }
  /// A part of another one's ranks.
  communicator(communicator& parent, membership&& part) : grouping(parent, std::move(part)) { begin(); }

 private:
  void begin() {
    arrange(host());
    if (active() && !one_host() && shares_hosts()) make_levels();  // which automatic uses: no call shall wait for that
  }
};

/// All processes that MPI started. Collective over MPI_COMM_WORLD.
inline communicator world() {
  tutti::detail::expect_mpi_runs("hybrid::world");
  return communicator(MPI_COMM_WORLD);
}

}  // namespace tutti::hybrid
