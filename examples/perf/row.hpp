// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace perf {

/// Microseconds.
struct quantiles {
  double median = 0, p10 = 0, p90 = 0;
  double kept = 1;  // the share of samples that these are of
};

/// What was measured of one collective with one algorithm at one size.
struct row {
  std::string collective, type, op, algorithm;
  std::size_t bytes = 0;
  std::size_t count = 0;
  bool in_place = false;
  quantiles time;
  double bus_factor = 0;
  std::optional<std::uint64_t> wrong;  // empty: not checked
  std::string other;                   // what it was measured against; empty: nothing
  quantiles other_time;
  std::string memory;
  double pulse = 0;  // nanoseconds, see meeting::pulse; 0: ranks share cores, and there is no such thing

  /// GB/s, 10^9 bytes a second.
  double algbw() const { return time.median > 0 ? double(bytes) / time.median * 1e-3 : 0; }
  double busbw() const { return algbw() * bus_factor; }
  /// Above 1: tutti is faster.
  double ratio() const { return time.median > 0 ? other_time.median / time.median : 0; }
};

}  // namespace perf
