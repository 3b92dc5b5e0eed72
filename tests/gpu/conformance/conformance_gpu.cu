// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance suite on GPUs: every collective by every algorithm against plain loops on the host, one process or
// one thread a GPU. With --share the ranks are processes that share the GPUs that there are: without NCCL, so only what
// goes by loads and stores is tried, but on one GPU.
//     conformance_gpu [--ranks N] [--transport shm|threads | --share] [part...] [soak [calls]]
#include "check.hpp"
#include "row.hpp"
#include "setting.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <sys/mman.h>

namespace {

using namespace conformance;

struct part {
  const char* name;
  void (*run)(const setting&);
  unsigned seconds;  // after that it hangs
};
constexpr part parts[] = {
    {"reductions", reductions, 300}, {"numbers", numbers, 240},
    {"operators", operators, 240},   {"order", order, 120},
    {"movements", movements, 300},   {"graphs", graphs, 120},
    {"streams", streams, 120},       {"crossed_streams", crossed_streams, 120},
    {"groups", groups, 120},         {"windows", windows, 120},
    {"errors", errors, 600},         {"soak", soak, 120},
};
constexpr int calls_by_default = 500;  // of soak, among all parts

const part* named(const char* name) {
  for (const part& one : parts)
    if (std::strcmp(one.name, name) == 0) return &one;
  return nullptr;
}

int usage() {
  std::fprintf(stderr,
               "conformance_gpu [--ranks N] [--transport shm|threads | --share] [part...] [soak [calls]]\nparts:");
  for (const part& one : parts) std::fprintf(stderr, " %s", one.name);
  std::fprintf(stderr, "\n");
  return 2;
}

/// In a process of its own: who forks ranks may not have used CUDA.
int count_devices() {
  void* room = mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 0;
  auto* devices = new (room) int(0);
  run_alone(60, [&] {
    if (cudaGetDeviceCount(devices) != cudaSuccess) *devices = 0;
  });
  return *devices;
}

}  // namespace

int main(int argc, char** argv) {
  setting how;
  how.ranks = 0;
  how.soak_calls = calls_by_default;
  std::vector<const part*> chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_more = i + 1 < argc;
    if (word == "--ranks" && has_more) {
      how.ranks = std::atoi(argv[++i]);
    } else if (word == "--transport" && has_more) {
      const std::string name = argv[++i];
      if (name != "shm" && name != "threads") return usage();
      how.threads = name == "threads";
    } else if (word == "--share") {
      without_nccl = true;
    } else if (const part* one = named(word.c_str())) {
      chosen.push_back(one);
      if (one->run != soak) continue;
      const int calls = has_more ? std::atoi(argv[i + 1]) : 0;
      how.soak_calls = calls > 0 ? calls : 10000;
      if (calls > 0) ++i;
    } else {
      return usage();
    }
  }
  if (without_nccl && how.threads) return usage();
  if (chosen.empty())
    for (const part& one : parts) chosen.push_back(&one);

  const int devices = count_devices();
  if (devices < (without_nccl ? 1 : 2)) {
    std::puts(devices == 0 ? "skipped: no GPU" : "skipped: no GPU beside the first, and collectives need two");
    return 77;
  }
  if (how.ranks == 0) how.ranks = devices < 4 ? 2 : 4;
  if (how.ranks < 2 || (how.ranks > devices && !without_nccl)) {
    std::fprintf(stderr, "conformance_gpu: --ranks is %d, expected at least 2 and at most the %d GPUs\n", how.ranks,
                 devices);
    return 2;
  }

  void* room = mmap(nullptr, sizeof(tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 1;
  std::uint64_t checks = 0, failures = 0;
  for (const part* one : chosen) {
    counted = new (room) tally;
    const unsigned patience = without_nccl ? 3 : 1;  // a device goes from process to process by milliseconds
    const unsigned seconds = patience * one->seconds + (one->run == soak ? unsigned(how.soak_calls) / 50 : 0);
    const outcome end = run_alone(seconds, [&] { one->run(how); });
    check(end.ended && end.code == -1, "%s: %s", one->name, end.text);
    std::printf("%-16s %8llu checks, %llu failures, %.1f s\n", one->name,
                static_cast<unsigned long long>(counted->checks.load()),
                static_cast<unsigned long long>(counted->failures.load()), end.seconds);
    std::fflush(stdout);
    checks += counted->checks.load();
    failures += counted->failures.load();
  }
  std::printf("conformance_gpu: %llu checks, %llu failures on %d %s\n", static_cast<unsigned long long>(checks),
              static_cast<unsigned long long>(failures), how.ranks, without_nccl ? "ranks that share GPUs" : "GPUs");
  return failures == 0 ? 0 : 1;
}
