// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "meeting.hpp"

#include <functional>

namespace perf {

/// Begins MPI and runs work on its ranks; empty in a program without MPI. Set by mpi/launch.cpp before main.
using launching = std::function<void(int ranks, const std::function<void(meeting&)>& work)>;
inline launching& launch_over_mpi() {
  static launching how;
  return how;
}

}  // namespace perf
