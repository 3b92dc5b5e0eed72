// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/nccl.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace conformance {

class site;

/// How the ranks are started.
struct setting {
  int ranks = 2;
  bool threads = false;  // one thread a device, else one process
  int soak_calls = 10000;
};

/// Starts a rank a device and runs a function in each; returns or throws as launch does.
void run_ranks(const setting& how, tutti::nccl::options options, const std::function<void(site&)>& rank);
inline void run_ranks(const setting& how, const std::function<void(site&)>& rank) { run_ranks(how, {}, rank); }

/// What became of a process that did one thing.
struct outcome {
  bool ended = false;  // by itself: not by a signal, and before its time was over
  int code = -1;       // of the tutti::error that it threw; -1 if none, -2 for another exception
  double seconds = 0;
  char text[800] = "";
};

/// Runs a function in a process of its own, which is killed after so many seconds. This process stays without CUDA.
outcome run_alone(unsigned seconds, const std::function<void()>& action);

// The parts. Each makes launches of its own and is called in a process that has made no CUDA call.
void reductions(const setting& how);
void numbers(const setting& how);
void operators(const setting& how);
void order(const setting& how);
void movements(const setting& how);
void graphs(const setting& how);
void streams(const setting& how);
void crossed_streams(const setting& how);
void groups(const setting& how);
void windows(const setting& how);
void errors(const setting& how);
void soak(const setting& how);

}  // namespace conformance
