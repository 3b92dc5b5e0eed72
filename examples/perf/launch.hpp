// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "meeting.hpp"
#include "options.hpp"

#include <tutti/core/launcher.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace perf {

// What the program starts its ranks on: launch.cpp knows processors, nccl/launch.cu devices, and a program has one of
// them.

/// How many ranks there will be. Throws options_error where that many can't be, nothing_here where none can.
int ranks_for(const options& chosen, const tutti::launcher_info& launcher);

/// Runs work on all ranks.
void launch(const std::string& transport, int ranks, const std::function<void(meeting&)>& work);

/// The machine has nothing to measure on: what() is what is missing.
struct nothing_here : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Begins MPI and runs work on its ranks, over mpi or hybrid; empty in a program without MPI. Set by mpi/launch.cpp
/// before main.
using launching =
    std::function<void(const std::string& transport, int ranks, const std::function<void(meeting&)>& work)>;
inline launching& launch_over_mpi() {
  static launching how;
  return how;
}

/// Connects ranks that have met by Gloo, too, and runs work on them; empty in a program without Gloo. Set by
/// gloo/launch.cpp before main.
using joining = std::function<void(meeting& ranks, const std::function<void(meeting&)>& work)>;
inline joining& launch_gloo() {
  static joining how;
  return how;
}

}  // namespace perf
