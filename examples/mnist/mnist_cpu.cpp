// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data-parallel training on the CPU: each rank computes the gradients of its share of a batch, one
// all_reduce adds them up, every rank takes the same step. train.hpp holds the loop.
#include "../mpi_start.hpp"
#include "data.hpp"
#include "options.hpp"
#include "output.hpp"
#include "train.hpp"

#include <tutti/tutti.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string>

namespace {

using algorithms =
    tutti::one_of<tutti::automatic, tutti::ring, tutti::tree, tutti::aggregator, tutti::direct, tutti::one_phase>;

constexpr const char* own_options =
    R"(  --ranks N         number of ranks (default 4; under mpirun, srun or torchrun: theirs)
  --transport T     shm (processes, the default), threads, or mpi and hybrid (the ranks of mpirun)
  --algorithm A     automatic (the default), ring, tree, aggregator, direct or one_phase
)";

mnist::dataset prepare(const mnist::options& chosen, bool first) {
  if (first && !chosen.plot.empty()) {
    mnist::write_curves(chosen.plot, {});  // empty ones now: a bad name must not cost a training
  }
  auto sets = mnist::load_dataset(chosen.data);
  if (chosen.limit) sets.train.keep_first(*chosen.limit);
  return sets;
}

void run(const mnist::options& chosen, const algorithms& algorithm, const tutti::launcher_info& launcher) {
  if (mpi_start::starts(chosen.transport)) {  // only MPI knows which rank is the first
    mpi_start::launch(chosen.transport, "mnist_cpu", chosen.ranks, [&](auto& comm) {
      const auto sets = prepare(chosen, comm.rank() == 0);
      mnist::trainer(comm, algorithm, chosen, sets).run();
    });
    return;
  }
  const auto sets = prepare(chosen, launcher.rank == 0);  // before the ranks start: forked ranks share the memory
  const auto work = [&](auto& comm) { mnist::trainer(comm, algorithm, chosen, sets).run(); };
  const int ranks = chosen.ranks.value_or(launcher ? launcher.size : 4);
  if (chosen.transport == "threads") {
    tutti::threads::launch(ranks, work);
  } else {
    tutti::shm::launch(ranks, work);
  }
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
      if (first) mnist::print_line(mnist::usage("mnist_cpu", own_options));
      return 0;
    }
    const auto algorithm = algorithms::named(chosen.algorithm);
    if (chosen.transport == "threads" && launcher && launcher.size > 1) {
      throw mnist::options_error(
          "--transport threads: its ranks are threads of one process, but the launcher started " +
          std::to_string(launcher.size) + " processes; use --transport shm");
    }
    if ((chosen.transport == "mpi" || chosen.transport == "hybrid") && !mpi_start::built_in)
      throw mnist::options_error(mpi_start::not_built_in);
    speak = true;
    run(chosen, algorithm, launcher);
    return 0;
  } catch (const std::exception& error) {
    if (speak) std::fprintf(stderr, "mnist_cpu: %s\n", error.what());
    return 1;
  }
}
