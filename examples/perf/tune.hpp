// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine.hpp"
#include "options.hpp"
#include "row.hpp"

#include <tutti/algorithm/automatic.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace perf {

// --tune: from which size on direct is faster than one_phase, for each number of ranks, as C++ that automatic goes by.

/// What is measured: one_phase against direct, around where they cross.
inline options tuning_options(options asked) {
  asked.algorithm = "one_phase";
  asked.versus = {asked.transport, "direct"};
  return asked;
}

/// Without a launcher and --ranks: 2, 4, 8, ... while each has a core.
inline std::vector<int> ranks_to_tune(std::optional<int> asked, int cores) {
  if (asked) return {*asked};
  std::vector<int> all{2};
  while (all.back() * 2 <= cores) all.push_back(all.back() * 2);
  return all;
}

/// Up to how many bytes the first algorithm of the rows, which rise in size, should be taken: where a choice by that
/// size costs least over all of them, each counted by its ratio. One row that the machine disturbed then moves nothing.
inline std::size_t least_costly_crossing(const std::vector<row>& rows) {
  double cost = 0, least = 0;  // against the second one everywhere
  std::size_t bytes = 0;
  for (const row& one : rows) {
    if (one.time.median <= 0 || one.other_time.median <= 0) continue;
    cost += std::log(one.time.median / one.other_time.median);
    if (cost < least) {
      least = cost;
      bytes = one.bytes;
    }
  }
  return bytes;
}

/// A number of ranks that wasn't measured goes with the nearer one that was.
inline std::vector<tutti::crossing> crossing_table(const std::vector<tutti::crossing>& measured) {
  std::vector<tutti::crossing> table;
  for (const tutti::crossing& one : measured)
    table.push_back({table.empty() ? 2 : (measured[table.size() - 1].ranks + one.ranks + 1) / 2, one.bytes});
  return table;
}

/// What a program is to include.
inline std::string crossing_source(const std::vector<tutti::crossing>& table, const machine& where) {
  std::string lines;
  for (const tutti::crossing& one : table)
    lines += (lines.empty() ? "{" : ", {") + std::to_string(one.ranks) + ", " + std::to_string(one.bytes) + "}";
  return "struct this_machine {  // " + where.hardware() + "; " + where.date + "; " + where.command +
         "\n  static constexpr tutti::crossing crossings[] = {" + lines +
         "};\n};\nusing tuned = tutti::automatic_by<this_machine>;  // tutti::all_reduce<tuned>(comm, data, op)";
}

}  // namespace perf
