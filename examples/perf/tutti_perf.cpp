// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tutti_perf: how long do tutti's collectives take, and are their results right? Every rank rewrites its input before
// each call, all start together, and the slowest counts. measure.hpp holds the loop, collective/ a file for each
// collective.
#include "chart.hpp"
#include "collectives.hpp"
#include "json.hpp"
#include "launch.hpp"
#include "machine.hpp"
#include "meeting.hpp"
#include "options.hpp"
#include "outcome.hpp"
#include "output.hpp"
#include "plan.hpp"
#include "session.hpp"
#include "table.hpp"

#include <tutti/tutti.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace {

void measure(perf::session& run, const std::vector<const perf::collective*>& wanted) {
  for (const perf::collective* one : wanted) {
    for (const std::string& line : perf::heading(*one, run.chosen())) run.say(line);
    const std::string reason = perf::left_out(*one, run.chosen());
    if (!reason.empty()) {
      run.say("# left out: " + reason);
      continue;
    }
    run.say(perf::table_head(run.chosen().versus.has_value()));
    one->run(run, *one);
  }
}

void launch(const std::string& transport, int ranks, const std::function<void(perf::meeting&)>& work) {
  const auto cpus = perf::usable_cpu_numbers();
  const auto meet = [&](auto& comm) {
    if (ranks > 1 && std::size_t(ranks) <= cpus.size()) perf::pin_this_thread(cpus, comm.rank());
    perf::meeting_over<std::remove_reference_t<decltype(comm)>, tutti::detail::shared_communicator> all(transport,
                                                                                                        comm);
    work(all);
  };
  if (perf::is_over_mpi(transport))
    perf::launch_over_mpi()(transport, ranks, work);
  else if (transport == "threads")
    tutti::threads::launch(ranks, meet);
  else
    tutti::shm::launch(ranks, meet);
}

/// Returns how many elements were wrong.
std::uint64_t run(const perf::options& chosen, const std::vector<const perf::collective*>& wanted,
                  perf::machine where) {
  perf::outcome wrong;
  const auto work = [&](perf::meeting& ranks, perf::meeting* other) {
    perf::session run(ranks, other, chosen);
    where.cores = run.processors();
    perf::introduce(run, where);
    measure(run, wanted);
    if (chosen.check) run.say("# " + std::to_string(run.wrong()) + " wrong elements");
    if (ranks.rank() == 0 && !chosen.json.empty())
      perf::write_file(chosen.json, perf::json_document(where, chosen.call, run.rows()));
    if (ranks.rank() == 0 && !chosen.svg.empty()) perf::write_file(chosen.svg, perf::chart::document(run.rows()));
    wrong.leave(run.wrong());
  };
  const std::string other = chosen.versus ? chosen.versus->transport : chosen.transport;
  const bool other_first = chosen.transport == "shm";  // MPI begins first
  launch(other_first ? other : chosen.transport, where.ranks, [&](perf::meeting& outer) {
    if (other == chosen.transport) return work(outer, &outer);
    launch(other_first ? chosen.transport : other, where.ranks, [&](perf::meeting& inner) {
      if (other_first)
        work(inner, &outer);
      else
        work(outer, &inner);
    });
  });
  return wrong.found();
}

}  // namespace

namespace perf {
std::vector<const char*> every_transport() {
  if (built_with_mpi()) return {"shm", "threads", "mpi", "hybrid"};
  return {"shm", "threads"};
}
}  // namespace perf

int main(int argc, char** argv) {
  bool speak = true;
  try {
    const auto launcher = tutti::find_launcher();
    const bool first = !launcher || launcher.rank == 0;
    speak = first;  // all ranks of a launcher see the same wrong option: one of them says so
    const auto chosen = perf::parse_options(std::span(argv + 1, std::size_t(argc > 0 ? argc - 1 : 0)));
    if (chosen.help || chosen.list) {
      if (first) perf::print_line(chosen.help ? perf::usage : perf::list_of_everything());
      return 0;
    }
    const auto wanted = perf::plan(chosen);
    const bool over_mpi =
        perf::is_over_mpi(chosen.transport) || (chosen.versus && perf::is_over_mpi(chosen.versus->transport));
    const int ranks = chosen.ranks.value_or(launcher ? launcher.size : over_mpi ? 1 : 4);
    if (chosen.transport == "threads" && launcher && launcher.size > 1)
      throw perf::options_error("--transport threads: its ranks are threads of one process, but the launcher started " +
                                std::to_string(launcher.size) + " processes; use --transport shm");
    if (chosen.root >= ranks)
      throw perf::options_error("--root " + std::to_string(chosen.root) + " is not below the number of ranks, " +
                                std::to_string(ranks));
    if (first)  // a bad name must not cost a measurement
      for (const std::string& name : {chosen.json, chosen.svg})
        if (!name.empty()) perf::write_file(name, "");
    speak = true;
    return run(chosen, wanted, perf::this_machine(argc, argv, chosen.transport, ranks)) == 0 ? 0 : 1;
  } catch (const perf::options_error& error) {
    if (speak) std::fprintf(stderr, "tutti_perf: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    if (speak) std::fprintf(stderr, "tutti_perf: %s\n", error.what());
    return 1;
  }
}
