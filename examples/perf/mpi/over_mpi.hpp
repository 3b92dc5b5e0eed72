// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../candidates.hpp"
#include "../offer.hpp"

#include <tutti/mpi.hpp>

namespace perf {

/// Adds what MPI offers of a collective to the program: without MPI these files just aren't in it.
template <class Collective>
struct offered_over_mpi {
  offered_over_mpi() {
    offers_over("mpi").emplace(Collective::name, offered<Collective, tutti::mpi::communicator>::table());
  }
};

}  // namespace perf
