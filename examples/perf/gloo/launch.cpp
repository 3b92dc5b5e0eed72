// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gloo as something to measure against: a context between ranks that have met already.
#include "../launch.hpp"
#include "../meeting.hpp"
#include "../options.hpp"

#include <gloo/barrier.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include <sched.h>

namespace perf {
namespace {

/// The ranks of another meeting, with a communicator of Gloo's.
class meeting_with_gloo final : public meeting {
 public:
  meeting_with_gloo(meeting& outer, std::shared_ptr<gloo::Context>& context)
      : meeting("gloo", &context), outer_(outer), context_(context) {}
  int rank() const override { return outer_.rank(); }
  int size() const override { return outer_.size(); }
  /// Gloo's own, in which nobody spins.
  void barrier() override {
    gloo::BarrierOptions all(context_);
    gloo::barrier(all);
  }
  void largest(std::vector<double>& values) override { outer_.largest(values); }
  std::uint64_t sum(std::uint64_t value) override { return outer_.sum(value); }
  std::shared_ptr<std::byte> allocate(std::size_t bytes) override { return outer_.allocate(bytes); }

 private:
  meeting& outer_;
  std::shared_ptr<gloo::Context>& context_;
};

/// A folder that all ranks know, for as long as they connect.
class shared_folder {
 public:
  explicit shared_folder(meeting& ranks) : ranks_(ranks) {
    const std::uint64_t number = ranks.sum(ranks.rank() == 0 ? std::random_device()() : 0);
    path_ = std::filesystem::temp_directory_path() / ("tutti_perf_gloo_" + std::to_string(number));
    if (ranks.rank() == 0) std::filesystem::create_directory(path_);
    ranks.barrier();
  }
  shared_folder(const shared_folder&) = delete;
  shared_folder& operator=(const shared_folder&) = delete;
  ~shared_folder() {
    std::error_code ignored;
    if (ranks_.rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  std::string name() const { return path_.string(); }

 private:
  meeting& ranks_;
  std::filesystem::path path_;
};

/// Each rank has a thread of Gloo's beside its own, and both are where the system puts them: pinned to one core they
/// wait for each other's time slices, and a call of Gloo's takes 4 ms.
class unpinned {
 public:
  unpinned() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
    sched_setaffinity(0, sizeof all, &all);  // the system leaves out what isn't ours
  }
  unpinned(const unpinned&) = delete;
  unpinned& operator=(const unpinned&) = delete;
  ~unpinned() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

std::shared_ptr<gloo::Context> connect(meeting& ranks) {
  std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice("127.0.0.1");
  auto context = std::make_shared<gloo::rendezvous::Context>(ranks.rank(), ranks.size());
  const shared_folder folder(ranks);
  gloo::rendezvous::FileStore store(folder.name());
  context->connectFullMesh(store, device);
  ranks.barrier();  // before the folder goes
  return context;
}

const struct launches_gloo {
  launches_gloo() {
    launch_gloo() = [](meeting& ranks, const std::function<void(meeting&)>& work) {
      const unpinned all_threads;
      std::shared_ptr<gloo::Context> context = connect(ranks);
      meeting_with_gloo all(ranks, context);
      work(all);
      ranks.barrier();  // who closes a connection that another one uses makes it throw
    };
  }
} here;

}  // namespace
}  // namespace perf
