// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include "output.hpp"
#include "table.hpp"

#include <tutti/collective/all_reduce.hpp>
#include <tutti/op/arithmetic.hpp>

#include <algorithm>
#include <utility>

namespace perf {
namespace {

/// Between the neighbours in proportion, so that the median of two is their mean.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * double(sorted.size() - 1);
  const auto below = std::size_t(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - double(below));
}

}  // namespace

void session::say(const std::string& line) const {
  if (comm_.rank() == 0) print_line(line);
}

void session::take(row measured, std::vector<double> times, std::uint64_t wrong) {
  tutti::all_reduce(comm_, times, tutti::max{});
  std::sort(times.begin(), times.end());
  measured.time = {quantile(times, 0.5), quantile(times, 0.1), quantile(times, 0.9)};
  if (measured.wrong) {
    std::uint64_t total[] = {wrong};
    tutti::all_reduce(comm_, total, tutti::sum{});
    measured.wrong = total[0];
    wrong_ += total[0];
  }
  say(table_line(measured));
  rows_.push_back(std::move(measured));
}

void introduce(const session& run, const machine& where) {
  run.say("# " + where.versions() + "; transport " + where.transport + ", " + std::to_string(where.ranks) +
          " ranks, call " + run.chosen().call);
  run.say("# host " + where.host + ": " + where.hardware() + "; " + where.comparable_with());
  run.say("# date " + where.date);
  run.say("# command " + where.command);
  run.say(
      "# time: of the slowest rank, median over the iterations; algbw = bytes / time and busbw in 10^9 bytes a second");
  run.say("# wrong: elements that differ from what they must be, over all ranks and iterations");
}

}  // namespace perf
