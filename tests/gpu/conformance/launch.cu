// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "row.hpp"
#include "setting.hpp"
#include "site.hpp"

#include <tutti/transport/shm.hpp>
#include <tutti/transport/threads.hpp>

#include <chrono>
#include <exception>
#include <new>

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace conformance {

namespace {

struct owned_stream {
  cudaStream_t own = nullptr;
  ~owned_stream() {
    if (own != nullptr) cudaStreamDestroy(own);
  }
};

/// One rank, whatever its host communicator is.
template <class World>
void be_rank(World& world, const tutti::nccl::options& options, const std::function<void(site&)>& rank) {
  owned_stream stream;  // gone after what lives on it
  tutti::nccl::communicator gpus(world, options);
  must(cudaSetDevice(gpus.device()), "cudaSetDevice");
  must(cudaStreamCreateWithFlags(&stream.own, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  site here(gpus, stream.own);
  rank(here);
  must(cudaStreamSynchronize(stream.own), "cudaStreamSynchronize");
  here.everyones(0);
}

}  // namespace

void run_ranks(const setting& how, tutti::nccl::options options, const std::function<void(site&)>& rank) {
  options.share_devices = without_nccl;
  if (how.threads)
    tutti::threads::launch(how.ranks, [&](tutti::threads::communicator& world) { be_rank(world, options, rank); });
  else
    tutti::shm::launch(how.ranks, [&](tutti::shm::communicator& world) { be_rank(world, options, rank); });
}

outcome run_alone(unsigned seconds, const std::function<void()>& action) {
  void* room = mmap(nullptr, sizeof(outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::runtime_error("mmap failed");
  auto* shared = new (room) outcome{};
  const auto begun = std::chrono::steady_clock::now();
  std::fflush(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    alarm(seconds);
    try {
      action();
    } catch (const tutti::error& failure) {
      shared->code = int(failure.code());
      std::snprintf(shared->text, sizeof shared->text, "%s", failure.what());
    } catch (const std::exception& failure) {
      shared->code = -2;
      std::snprintf(shared->text, sizeof shared->text, "%s", failure.what());
    }
    shared->ended = true;
    std::fflush(nullptr);
    _exit(0);  // not through destructors of libraries that have half run
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) throw std::runtime_error("can't fork and wait");
  outcome made = *shared;
  munmap(room, sizeof(outcome));
  if (!made.ended && WIFSIGNALED(status))
    std::snprintf(made.text, sizeof made.text,
                  WTERMSIG(status) == SIGALRM ? "it hangs: not ended within %u s" : "ended by a signal (%u s allowed)",
                  seconds);
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return made;
}

}  // namespace conformance
