// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine.hpp"
#include "meeting.hpp"
#include "options.hpp"
#include "oracle.hpp"
#include "row.hpp"
#include "samples.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace perf {

/// A run of the program on one rank: what is asked for, the communicator, and what was found so far.
class session {
 public:
  /// other: what --versus measures on.
  session(meeting& ranks, meeting* other, const options& chosen);

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
  void take(row measured, samples times, samples other_times, std::uint64_t wrong);

  /// As --memory says. Collective.
  std::shared_ptr<std::byte> take_memory(std::size_t bytes);
  /// See meeting; 0 where ranks share cores.
  double pulse() { return processors() >= ranks_.size() ? ranks_.pulse() : 0; }
  /// That the ranks have together: a launcher may have given each of them its own.
  int processors() const;
  /// The processors of every rank, in words.
  std::string places() const;

 private:
  meeting& ranks_;
  meeting* other_;
  const options& chosen_;
  std::vector<double> cpus_, first_cpu_;  // of each rank: how many it may use, and the first of them
  std::vector<row> rows_;
  std::uint64_t wrong_ = 0;
  std::uint32_t iteration_ = 0;
};

/// The head of the output.
void introduce(const session& run, const machine& where);

}  // namespace perf
