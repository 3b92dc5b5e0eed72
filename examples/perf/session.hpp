// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine.hpp"
#include "meeting.hpp"
#include "options.hpp"
#include "oracle.hpp"
#include "row.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perf {

/// A run of the program on one rank: what is asked for, the communicator, and what was found so far.
class session {
 public:
  /// other: what --versus measures on.
  session(meeting& ranks, meeting* other, const options& chosen) : ranks_(ranks), other_(other), chosen_(chosen) {}

  meeting& ranks() { return ranks_; }
  meeting* other() { return other_; }
  const options& chosen() const { return chosen_; }
  const std::vector<row>& rows() const { return rows_; }
  /// Over all rows and ranks; the same on all ranks.
  std::uint64_t wrong() const { return wrong_; }

  place here(std::size_t count) const { return {ranks_.rank(), ranks_.size(), chosen_.root, count, 0, false}; }
  /// Never the same twice, so that no iteration can live on what another one left.
  std::uint32_t next_iteration() { return ++iteration_; }

  /// Prints a line at rank 0.
  void say(const std::string& line) const;
  /// Takes a row on all ranks: the slowest rank makes the time of each iteration, all wrong elements count. Prints it.
  void take(row measured, std::vector<double> times, std::vector<double> other_times, std::uint64_t wrong);

 private:
  meeting& ranks_;
  meeting* other_;
  const options& chosen_;
  std::vector<row> rows_;
  std::uint64_t wrong_ = 0;
  std::uint32_t iteration_ = 0;
};

/// The head of the output.
void introduce(const session& run, const machine& where);

}  // namespace perf
