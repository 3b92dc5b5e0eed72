// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>

#include <cerrno>
#include <cstdlib>

namespace tutti {

/// Who started this process, as its environment tells.
struct launcher_info {
  int rank = 0;
  int size = 1;
  const char* source = nullptr;  ///< "TUTTI", "torchrun", "Open MPI", "Hydra", "MVAPICH", "Slurm"; null: nobody
  explicit operator bool() const { return source != nullptr; }
};

namespace detail {

struct launcher_variables {
  const char* source;
  const char* rank;
  const char* size;
};

/// In the order of trust. Slurm is last: under an mpirun that srun started, SLURM_* describe the mpirun.
inline constexpr launcher_variables known_launchers[] = {
    {"TUTTI", "TUTTI_RANK", "TUTTI_SIZE"},
    {"torchrun", "RANK", "WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"Hydra", "PMI_RANK", "PMI_SIZE"},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS"},
};

inline int launcher_number(const char* name, const char* text, int least) {
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != 0 || errno != 0 || value < least || value > 1 << 20)
    fail(errc::launcher, -1, "tutti: %s=\"%s\" is not a whole number of at least %d", name, text, least);
  return int(value);
}

/// Seconds that a call may wait for its peers: TUTTI_TIMEOUT if it is set.
inline double seconds_to_wait(int rank, double otherwise) {
  const char* text = std::getenv("TUTTI_TIMEOUT");
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != 0 || !(value > 0) || value > 1e9)
    fail(errc::launcher, rank, "tutti: TUTTI_TIMEOUT=\"%s\" is not a number of seconds above 0", text);
  return value;
}

}  // namespace detail

/// Finds rank and size in the variables of TUTTI_*, torchrun, Open MPI, MPICH/Hydra, MVAPICH or Slurm.
/// Throws where a launcher sets half of them or where two launchers disagree; a single process is never
/// assumed while some launcher says otherwise.
inline launcher_info find_launcher() {
  launcher_info found;
  for (const auto& known : detail::known_launchers) {
    const char* rank = std::getenv(known.rank);
    const char* size = std::getenv(known.size);
    // Interactive Slurm allocations set the size without a rank: nobody was launched yet.
    if (rank == nullptr && (size == nullptr || known.rank[0] == 'S')) continue;
    if (rank == nullptr || size == nullptr)
      detail::fail(errc::launcher, -1, "tutti: the launcher set %s but not %s",
                   rank == nullptr ? known.size : known.rank, rank == nullptr ? known.rank : known.size);
    const launcher_info one{detail::launcher_number(known.rank, rank, 0), detail::launcher_number(known.size, size, 1),
                            known.source};
    if (one.rank >= one.size)
      detail::fail(errc::launcher, one.rank, "tutti: %s=%d is not below %s=%d", known.rank, one.rank, known.size,
                   one.size);
    if (!found) {
      found = one;
    } else if (known.rank[0] != 'S' && (one.rank != found.rank || one.size != found.size)) {
      detail::fail(errc::launcher, found.rank, "tutti: %s says rank %d of %d, but %s says rank %d of %d", found.source,
                   found.rank, found.size, one.source, one.rank, one.size);
    }
  }
  return found;
}

}  // namespace tutti
