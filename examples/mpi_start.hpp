// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How the examples begin with --transport mpi and hybrid. CMake says what there is: TUTTI_EXAMPLES_BOOST_MPI,
// TUTTI_EXAMPLES_MPI or neither. A program of one's own would choose one way and need none of this.

#if defined(TUTTI_EXAMPLES_BOOST_MPI)
#  include <tutti/hybrid.hpp>

#  include <boost/mpi/communicator.hpp>
#  include <boost/mpi/environment.hpp>
#elif defined(TUTTI_EXAMPLES_MPI)
#  include <tutti/hybrid.hpp>
#endif

#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

namespace mpi_start {

#if defined(TUTTI_EXAMPLES_BOOST_MPI) || defined(TUTTI_EXAMPLES_MPI)

inline constexpr bool built_in = true;

/// The transports that need it.
inline bool starts(const std::string& transport) { return transport == "mpi" || transport == "hybrid"; }

/// Runs work(communicator) on this process's rank. MPI begins and ends in here, so that other transports never start
/// it. How many ranks there are is the launcher's business; throws where others are wanted.
template <class Work>
void launch(const std::string& transport, const char* program, std::optional<int> wanted, Work work) {
  int size = 0;
  {
#  if defined(TUTTI_EXAMPLES_BOOST_MPI)
    const boost::mpi::environment environment(boost::mpi::threading::serialized);
    const boost::mpi::communicator world;
#  else
    const tutti::mpi::environment environment;
    const MPI_Comm world = MPI_COMM_WORLD;
#  endif
    const auto run_on = [&](auto&& comm) {
      size = comm.size();
      const bool fits = wanted.value_or(size) == size;
      if (fits) work(comm);
      return fits;
    };
    try {
      if (transport == "hybrid" ? run_on(tutti::hybrid::communicator(world)) : run_on(tutti::mpi::communicator(world)))
        return;
    } catch (const std::exception& failure) {  // said before the job ends, which it does with the first that fails
      std::fprintf(stderr, "%s: %s\n", program, failure.what());
      MPI_Abort(world, 1);
    }
  }
  throw std::invalid_argument("--ranks " + std::to_string(*wanted) + " --transport " + transport + ": MPI has " +
                              std::to_string(size) + (size == 1 ? " rank" : " ranks") + "; start it with mpirun -n " +
                              std::to_string(*wanted));
}

#else

inline constexpr bool built_in = false;

inline bool starts(const std::string&) { return false; }

template <class Work>
void launch(const std::string&, const char*, std::optional<int>, Work) {}

#endif

/// Why there is no --transport mpi or hybrid.
inline constexpr const char* not_built_in =
    "--transport mpi or hybrid: this program was built without MPI, which CMake did not find (or was not told to use)";

}  // namespace mpi_start
