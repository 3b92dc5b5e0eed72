// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../launch.hpp"
#include "../options.hpp"

#include <tutti/hybrid.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <string>

namespace perf {
namespace {

/// The program itself meets over messages: all that tutti::hybrid chooses from need not be compiled once more for it.
template <class Communicator>
void run(const std::string& transport, const std::function<void(meeting&)>& work) {
  Communicator comm(MPI_COMM_WORLD);
  tutti::mpi::communicator messages(MPI_COMM_WORLD);
  meeting_over<tutti::mpi::communicator> all(transport, messages, &comm);
  try {
    work(all);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tutti_perf: %s\n", error.what());  // on its way out it ends the job
    throw;
  }
}

const struct launches_over_mpi {
  launches_over_mpi() {
    launch_over_mpi() = [](const std::string& transport, int ranks, const std::function<void(meeting&)>& work) {
      int started = 0;
      {
        const tutti::mpi::environment mpi;
        MPI_Comm_size(MPI_COMM_WORLD, &started);
        if (started == ranks)
          return transport == "hybrid" ? run<tutti::hybrid::communicator>(transport, work)
                                       : run<tutti::mpi::communicator>(transport, work);
      }
      throw options_error("--ranks " + std::to_string(ranks) + ", but MPI has started " + std::to_string(started));
    };
  }
} here;

}  // namespace
}  // namespace perf
