// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mnist {

/// How many GPUs this process may use. A child asks: CUDA doesn't survive a fork, and the ranks are still to be forked.
inline int count_gpus() {
  constexpr int most = 254, unknown = 255;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(format("cannot start a process: %s", std::strerror(errno)));
  if (child == 0) {
    int devices = 0;
    const cudaError_t result = cudaGetDeviceCount(&devices);
    if (result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver) _exit(0);  // the latter: no driver at all
    if (result != cudaSuccess) {
      std::fprintf(stderr, "cudaGetDeviceCount: %s\n", cudaGetErrorString(result));
      _exit(unknown);
    }
    _exit(std::min(devices, most));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(format("cannot wait for a process: %s", std::strerror(errno)));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) == unknown) throw std::runtime_error("cannot count the GPUs");
  return WEXITSTATUS(status);
}

}  // namespace mnist
