// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../launch.hpp"

#include "gpu.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace perf {
namespace {

/// Counted in a child: ranks are forked, and CUDA works in none of them once their parent has used it.
int count_devices() {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("can't fork: ") + std::strerror(errno));
  if (child == 0) {
    int devices = 0;
    _exit(cudaGetDeviceCount(&devices) == cudaSuccess ? std::min(devices, 255) : 0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

}  // namespace

std::vector<const char*> every_transport() { return {"nccl"}; }
std::vector<const char*> every_peer() { return every_transport(); }

int ranks_for(const options& chosen, const tutti::launcher_info& launcher) {
  const int devices = count_devices();
  if (devices == 0) throw nothing_here("no GPU");
  if (launcher) return chosen.ranks.value_or(launcher.size);  // it may show each rank a GPU of its own, as number 0
  const int ranks = chosen.ranks.value_or(devices);
  if (ranks > devices)
    throw options_error("--ranks " + std::to_string(ranks) + ": each rank needs a GPU of its own, and here " +
                        (devices == 1 ? "is 1" : "are " + std::to_string(devices)));
  return ranks;
}

/// Ranks aren't pinned: NCCL's own threads would be, too, all to one processor.
void launch(const std::string& transport, int ranks, const std::function<void(meeting&)>& work) {
  tutti::shm::launch(ranks, [&](tutti::shm::communicator& world) {
    gpu mine(world);
    meeting_of_gpus all(transport, world, mine);
    work(all);
  });
}

}  // namespace perf
