// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tutti_perf: how long do tutti's collectives take, and are their results right? Every rank rewrites its input before
// each call, all start together, and the slowest counts. measure.hpp holds the loop, collective/ a file for each
// collective.
#include "collectives.hpp"
#include "json.hpp"
#include "machine.hpp"
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
#include <span>
#include <string>
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
    run.say(perf::table_head());
    one->run(run);
  }
}

/// Returns how many elements were wrong.
std::uint64_t run(const perf::options& chosen, const std::vector<const perf::collective*>& wanted,
                  const perf::machine& where) {
  perf::outcome wrong;
  const auto work = [&](perf::communicator& comm) {
    perf::session run(comm, chosen);
    perf::introduce(run, where);
    measure(run, wanted);
    if (chosen.check) run.say("# " + std::to_string(run.wrong()) + " wrong elements");
    if (comm.rank() == 0 && !chosen.json.empty())
      perf::write_file(chosen.json, perf::json_document(where, chosen.call, run.rows()));
    wrong.leave(run.wrong());
  };
  if (chosen.transport == "threads")
    tutti::threads::launch(where.ranks, work);
  else
    tutti::shm::launch(where.ranks, work);
  return wrong.found();
}

}  // namespace

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
    const int ranks = chosen.ranks.value_or(launcher ? launcher.size : 4);
    if (chosen.transport == "threads" && launcher && launcher.size > 1)
      throw perf::options_error("--transport threads: its ranks are threads of one process, but the launcher started " +
                                std::to_string(launcher.size) + " processes; use --transport shm");
    if (chosen.root >= ranks)
      throw perf::options_error("--root " + std::to_string(chosen.root) + " is not below the number of ranks, " +
                                std::to_string(ranks));
    if (first && !chosen.json.empty()) perf::write_file(chosen.json, "");  // a bad name must not cost a measurement
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
