// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include "output.hpp"
#include "table.hpp"

#include <tutti/transport/cpus.hpp>

#include <algorithm>
#include <utility>

namespace perf {
void session::say(const std::string& line) const {
  if (ranks_.rank() == 0) print_line(line);
}

void session::take(row measured, samples times, samples other_times, std::uint64_t wrong) {
  for (samples* one : {&times, &other_times}) {
    ranks_.largest(one->times());
    ranks_.largest(one->pulses());
  }
  measured.pulse = usual_pulse(times, other_times);
  measured.time = times.within(measured.pulse);
  if (!other_times.empty()) measured.other_time = other_times.within(measured.pulse);
  if (measured.wrong) {
    measured.wrong = ranks_.sum(wrong);
    wrong_ += *measured.wrong;
  }
  say(table_line(measured));
  rows_.push_back(std::move(measured));
}

session::session(meeting& ranks, meeting* other, const options& chosen)
    : ranks_(ranks),
      other_(other),
      chosen_(chosen),
      cpus_(std::size_t(ranks.size())),
      first_cpu_(std::size_t(ranks.size())) {
  const auto mine = tutti::detail::cpu_share::of_this_thread();
  cpus_[std::size_t(ranks_.rank())] = mine.usable();
  first_cpu_[std::size_t(ranks_.rank())] = mine.first;
  ranks_.largest(cpus_);
  ranks_.largest(first_cpu_);
}

int session::processors() const {
  double all = 0;
  for (std::size_t rank = 0; rank < cpus_.size(); ++rank)
    if (std::find(first_cpu_.begin(), first_cpu_.begin() + std::ptrdiff_t(rank), first_cpu_[rank]) ==
        first_cpu_.begin() + std::ptrdiff_t(rank))
      all += cpus_[rank];
  return int(all);
}

std::string session::places() const {
  std::string text;
  for (std::size_t rank = 0; rank < cpus_.size(); ++rank)
    text += (rank == 0 ? "rank " : ", ") + std::to_string(rank) + ": " +
            (cpus_[rank] > 1 ? "any of " + std::to_string(int(cpus_[rank])) : std::to_string(int(first_cpu_[rank])));
  return text;
}

std::shared_ptr<std::byte> session::take_memory(std::size_t bytes) {
  if (chosen_.memory == "allocated") {  // all ranks ask for the same
    std::vector<double> longest{double(bytes)};
    ranks_.largest(longest);
    return ranks_.allocate(std::size_t(longest[0]));
  }
  return ranks_.plain(bytes);
}

void introduce(const session& run, const machine& where) {
  run.say("# " + where.versions() + "; transport " + where.transport + ", " + std::to_string(where.ranks) +
          " ranks, call " + run.chosen().how());
  run.say("# host " + where.host + ": " + where.hardware() + "; " + where.comparable_with());
  run.say("# cpus " + run.places());
  run.say("# date " + where.date);
  run.say("# command " + where.command);
  run.say(
      "# time: of the slowest rank, median over the iterations; algbw = bytes / time and busbw in 10^9 bytes a second");
  if (!where.devices.empty())
    run.say(run.chosen().graph ? "# time of a call on the device: of a graph of many calls, shared out"
                               : "# time of a call on the device: from when all streams have met to its end");
  run.say("# wrong: elements that differ from what they must be, over all ranks and iterations");
}

}  // namespace perf
