// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/core/launcher.hpp>
#include <tutti/transport/groups.hpp>
#include <tutti/transport/mpi_api.hpp>
#include <tutti/transport/mpi_member.hpp>

#include <exception>

namespace tutti::mpi {
namespace detail {

using tutti::detail::fail;

/// Started by the launcher of another MPI, each process is a world of one, and would say so silently.
inline MPI_Comm expect_own_launcher(MPI_Comm comm) {
  tutti::detail::expect_mpi_runs("mpi::communicator");
  if (comm == MPI_COMM_NULL) fail(errc::bad_argument, -1, "mpi::communicator: the MPI communicator is MPI_COMM_NULL");
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 1) return comm;
  for (const auto& known : tutti::detail::known_launchers) {
    const char* text = std::getenv(known.size);
    if (text == nullptr || std::getenv(known.rank) == nullptr) continue;
    const int launched = tutti::detail::launcher_number(known.size, text, 1);
    if (launched == size) continue;
    char name[96];
    tutti::detail::mpi_name(name, sizeof name);
    fail(errc::launcher, -1,
         "mpi::communicator: the launcher (%s) has started %d processes, but MPI (%s) is in a world of %d; start this "
         "program with that MPI's own launcher",
         known.source, launched, name, size);
  }
  return comm;
}

}  // namespace detail

/// Begins MPI, and ends it where it began it. What is unwound by an exception ends the whole job instead, as the other
/// ranks would wait for ever.
class environment {
 public:
  /// Asks for the thread level that a progress_thread needs, unless another is wanted.
  explicit environment(int threads = MPI_THREAD_SERIALIZED) {
    int begun = 0, given = 0;
    MPI_Initialized(&begun);
    if (begun != 0) return;
    tutti::detail::expect_mpi(MPI_Init_thread(nullptr, nullptr, threads, &given), -1, "MPI_Init_thread");
    ends_ = true;
    exceptions_ = std::uncaught_exceptions();
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment() {
    int over = 0;
    MPI_Finalized(&over);
    if (!ends_ || over != 0) return;
    if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
  }

 private:
  bool ends_ = false;
  int exceptions_ = 0;
};

/// One rank a process, wherever MPI runs. Every algorithm of tutti by MPI's messages; `native` hands a call to MPI's
/// own collective. It works on a private duplicate: tags and pending messages of the program never meet tutti's.
class communicator final : public tutti::detail::grouping<communicator, tutti::detail::mpi_member> {
 public:
  static constexpr const char* transport_name = "mpi";

  /// All ranks of anything that converts to MPI_Comm, which stays the caller's. Collective. Throws tutti::error where
  /// MPI isn't running or the program was started by another MPI's launcher.
  explicit communicator(MPI_Comm comm) : grouping(detail::expect_own_launcher(comm)) {}
  /// The same with a message_model for automatic, or tutti::tune: the same on all ranks.
  communicator(MPI_Comm comm, const tutti::detail::guide& by) : grouping(detail::expect_own_launcher(comm), by) {}
  /// A part of another one's ranks.
  communicator(const communicator& parent, membership&& group) : grouping(parent, static_cast<membership&&>(group)) {}
};

/// All processes that MPI started. Collective over MPI_COMM_WORLD.
inline communicator world() {
  tutti::detail::expect_mpi_runs("mpi::world");
  return communicator(MPI_COMM_WORLD);
}

}  // namespace tutti::mpi
