// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "row.hpp"

#include <cstdio>
#include <string>

namespace perf {

inline std::string table_head(bool versus = false) {
  char text[160];
  std::snprintf(text, sizeof text, "#%12s %12s %6s %5s %-18s %12s %9s %9s %8s", "bytes", "count", "type", "op",
                "algorithm", "time(us)", "algbw", "busbw", "wrong");
  return versus ? std::string(text) + "  other                      other_time     ratio" : text;
}

inline std::string table_line(const row& one) {
  char text[256];
  std::snprintf(text, sizeof text, "%13zu %12zu %6s %5s %-18s %12.2f %9.3f %9.3f %8s", one.bytes, one.count,
                one.type.c_str(), one.op.c_str(), one.algorithm.c_str(), one.time.median, one.algbw(), one.busbw(),
                one.wrong ? std::to_string(*one.wrong).c_str() : "-");
  if (one.other.empty()) return text;
  char more[128];
  std::snprintf(more, sizeof more, "  %-24s %12.2f %9.3f", one.other.c_str(), one.other_time.median, one.ratio());
  return std::string(text) + more;
}

}  // namespace perf
