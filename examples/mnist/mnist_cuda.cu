// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data-parallel training on GPUs, one a rank, with kernels of our own: as mnist_cpu, but the gradients never leave the
// devices. device_train.cuh holds the loop, device_mlp.cuh the model.
#include "data.hpp"
#include "device.cuh"
#include "device_train.cuh"
#include "gpus.cuh"
#include "options.hpp"
#include "output.hpp"
#include "plot.hpp"

#include <tutti/nccl.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string>

namespace {

using algorithms = tutti::one_of<tutti::automatic, tutti::native, tutti::ring, tutti::tree, tutti::aggregator,
                                 tutti::direct, tutti::one_phase>;

constexpr const char* own_options =
    R"(  --ranks N         number of ranks, one a GPU (default: all GPUs; under mpirun, srun or torchrun: theirs)
  --algorithm A     automatic (the default), native (NCCL's own), ring, tree, aggregator, direct or one_phase
)";

constexpr int skipped = 77;

mnist::dataset prepare(const mnist::options& chosen, bool first) {
  if (first && !chosen.plot.empty()) {
    mnist::write_curves(chosen.plot, {});  // empty ones now: a bad name must not cost a training
  }
  auto sets = mnist::load_dataset(chosen.data);
  if (chosen.limit) sets.train.keep_first(*chosen.limit);
  return sets;
}

/// One a GPU. Under a launcher the devices of each rank are its business (it may show each rank one alone), and tutti
/// says where two ranks got the same.
int choose_ranks(const mnist::options& chosen, const tutti::launcher_info& launcher, int gpus) {
  if (launcher) return chosen.ranks.value_or(launcher.size);
  const int ranks = chosen.ranks.value_or(gpus);
  if (ranks > gpus) {
    throw mnist::options_error("--ranks: expected at most " + std::to_string(gpus) +
                               ", for each rank needs a GPU of its own, found '" + std::to_string(ranks) + "'");
  }
  return ranks;
}

void run(const mnist::options& chosen, const algorithms& algorithm, int ranks, bool first) {
  const auto sets = prepare(chosen, first);  // before the ranks start: forked ranks share the memory
  tutti::shm::launch(ranks, [&](auto& world) {
    tutti::nccl::communicator gpus(world);
    mnist::expect_cuda(cudaSetDevice(gpus.device()), "cudaSetDevice");
    const mnist::device_stream stream;
    mnist::device_trainer(world, gpus.on(stream.get()), algorithm, chosen, sets).run();
  });
}

}  // namespace

int main(int argc, char** argv) {
  bool speak = true;
  try {
    const auto launcher = tutti::find_launcher();
    const bool first = !launcher || launcher.rank == 0;
    speak = first;  // all ranks of a launcher see the same wrong option: one of them says so
    const auto chosen = mnist::parse_options(std::span(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)));
    if (chosen.help) {
      if (first) mnist::print_line(mnist::usage("mnist_cuda", own_options));
      return 0;
    }
    const auto algorithm = algorithms::named(chosen.algorithm);
    if (chosen.transport != "shm") mnist::detail::refuse("--transport", "shm", chosen.transport);
    const int gpus = mnist::count_gpus();
    if (gpus == 0) {
      if (first) mnist::print_line("skipped: no GPU");
      return skipped;
    }
    const int ranks = choose_ranks(chosen, launcher, gpus);
    speak = true;
    run(chosen, algorithm, ranks, first);
    return 0;
  } catch (const std::exception& error) {
    if (speak) std::fprintf(stderr, "mnist_cuda: %s\n", error.what());
    return 1;
  }
}
