// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// MPI without its deprecated C++ bindings, which would have to be linked and don't compile without warnings.
#if !defined(OMPI_SKIP_MPICXX)
#  define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#  define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <tutti/core/error.hpp>

#include <cstdio>
#include <cstring>

namespace tutti::detail {

/// What MPI says when a call on a communicator of ours fails: those return their errors.
inline void expect_mpi(int code, int rank, const char* call) {
  if (code == MPI_SUCCESS) return;
  char reason[MPI_MAX_ERROR_STRING] = "no reason given";
  int length = 0;
  MPI_Error_string(code, reason, &length);
  fail(errc::library, rank, "%s on rank %d: %s", call, rank, reason);
}

/// True once it has ended; asks MPI at most that often.
inline bool ends_within(MPI_Request& one, int tries) noexcept {
  for (int done = 0; tries > 0; --tries) {
    MPI_Test(&one, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
  }
  return false;
}

/// The library's own name and version, on one line.
inline void mpi_name(char* to, std::size_t room) {
  char whole[MPI_MAX_LIBRARY_VERSION_STRING] = "MPI";
  int length = 0;
  MPI_Get_library_version(whole, &length);
  std::size_t end = std::strcspn(whole, ",\n");
  for (std::size_t i = 0; i < end; ++i)
    if (whole[i] == '\t') whole[i] = ' ';
  std::snprintf(to, room, "%.*s", int(end), whole);
}

/// MPI can only be used between its begin and its end, which are the program's business.
inline void expect_mpi_runs(const char* call) {
  int begun = 0, over = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  if (begun == 0)
    fail(errc::library, -1,
         "%s: MPI is not initialised; make a tutti::mpi::environment (or call MPI_Init_thread) first", call);
  if (over != 0) fail(errc::library, -1, "%s: MPI is finalised already", call);
}

}  // namespace tutti::detail
