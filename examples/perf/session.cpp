// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include "output.hpp"
#include "table.hpp"

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
  if (ranks_.rank() == 0) print_line(line);
}

void session::take(row measured, std::vector<double> times, std::vector<double> other_times, std::uint64_t wrong) {
  const auto settle = [&](std::vector<double>& all) {
    ranks_.largest(all);
    std::sort(all.begin(), all.end());
  };
  settle(times);
  if (!other_times.empty()) {
    settle(other_times);
    measured.other_time = quantile(other_times, 0.5);
  }
  measured.time = {quantile(times, 0.5), quantile(times, 0.1), quantile(times, 0.9)};
  if (measured.wrong) {
    measured.wrong = ranks_.sum(wrong);
    wrong_ += *measured.wrong;
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
