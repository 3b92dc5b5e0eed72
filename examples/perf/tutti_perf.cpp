// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tutti_perf: how long do tutti's collectives take, and are their results right? Every rank rewrites its input before
// each call, all start together, and the slowest counts. rows.hpp holds the loop over sizes and algorithms, measure.hpp
// and nccl/measure.hpp the one over calls, collective/ a file for each collective.
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
#include "tune.hpp"

#include <tutti/core/launcher.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
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
    run.say(perf::table_head(run.chosen().versus.has_value()));
    one->run(run, *one);
  }
}

/// Returns how many elements were wrong. then: with each rank's session at the end.
std::uint64_t run(
    const perf::options& chosen, const std::vector<const perf::collective*>& wanted, perf::machine where,
    const std::function<void(perf::session&)>& then = [](perf::session&) {}) {
  perf::outcome wrong;
  const auto work = [&](perf::meeting& ranks, perf::meeting* other) {
    perf::session run(ranks, other, chosen);
    where.cores = run.processors();
    where.devices = ranks.devices();
    where.libraries = ranks.libraries();
    perf::introduce(run, where);
    measure(run, wanted);
    if (chosen.check) run.say("# " + std::to_string(run.wrong()) + " wrong elements");
    if (ranks.rank() == 0 && !chosen.json.empty())
      perf::write_file(chosen.json, perf::json_document(where, chosen.how(), run.rows()));
    if (ranks.rank() == 0 && !chosen.svg.empty()) perf::write_file(chosen.svg, perf::chart::document(run.rows()));
    then(run);
    wrong.leave(run.wrong());
  };
  const std::string other = chosen.versus ? chosen.versus->transport : chosen.transport;
  if (perf::is_beside(other)) {
    perf::launch(chosen.transport, where.ranks, [&](perf::meeting& ranks) {
      perf::launch_gloo()(ranks, [&](perf::meeting& beside) { work(ranks, &beside); });
    });
    return wrong.found();
  }
  const bool other_first = chosen.transport == "shm";  // MPI begins first
  perf::launch(other_first ? other : chosen.transport, where.ranks, [&](perf::meeting& outer) {
    if (other == chosen.transport) return work(outer, &outer);
    perf::launch(other_first ? chosen.transport : other, where.ranks, [&](perf::meeting& inner) {
      if (other_first)
        work(inner, &outer);
      else
        work(outer, &inner);
    });
  });
  return wrong.found();
}

/// The same, for each number of ranks that is to be tuned.
std::uint64_t tune(const perf::options& asked, const std::optional<int>& launched, bool speak, perf::machine where) {
  const perf::options chosen = perf::tuning_options(asked);
  const auto wanted = perf::plan(chosen);
  std::vector<tutti::crossing> measured;
  std::uint64_t wrong = 0;
  for (const int ranks : perf::ranks_to_tune(launched ? launched : asked.ranks, where.cores)) {
    perf::outcome crossing;
    where.ranks = ranks;
    wrong += run(chosen, wanted, where, [&](perf::session& one) {
      if (one.ranks().rank() == 0) crossing.leave(perf::least_costly_crossing(one.rows()));
    });
    measured.push_back({ranks, std::size_t(crossing.found())});
  }
  if (speak) perf::print_line(perf::crossing_source(perf::crossing_table(measured), where));
  return wrong;
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
    const int ranks = perf::ranks_for(chosen, launcher);
    if (chosen.root >= ranks)
      throw perf::options_error("--root " + std::to_string(chosen.root) + " is not below the number of ranks, " +
                                std::to_string(ranks));
    if (first)  // a bad name must not cost a measurement
      for (const std::string& name : {chosen.json, chosen.svg})
        if (!name.empty()) perf::write_file(name, "");
    speak = true;
    const auto where = perf::this_machine(argc, argv, chosen.transport, ranks);
    const auto launched = launcher ? std::optional(ranks) : std::nullopt;
    return (chosen.tune ? tune(chosen, launched, first, where) : run(chosen, wanted, where)) == 0 ? 0 : 1;
  } catch (const perf::options_error& error) {
    if (speak) std::fprintf(stderr, "tutti_perf: %s\n", error.what());
    return 2;
  } catch (const perf::nothing_here& reason) {
    if (speak) std::printf("skipped: %s\n", reason.what());
    return 77;
  } catch (const std::exception& error) {
    if (speak) std::fprintf(stderr, "tutti_perf: %s\n", error.what());
    return 1;
  }
}
