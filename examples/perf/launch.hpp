// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "meeting.hpp"

#include <functional>
#include <string>

namespace perf {

/// Begins MPI and runs work on its ranks, over mpi or hybrid; empty in a program without MPI. Set by mpi/launch.cpp
/// before main.
using launching =
    std::function<void(const std::string& transport, int ranks, const std::function<void(meeting&)>& work)>;
inline launching& launch_over_mpi() {
  static launching how;
  return how;
}

}  // namespace perf
