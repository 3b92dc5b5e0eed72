// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine.hpp"
#include "row.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace perf {

inline std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
      quoted += letter;
    } else if (code < 0x20 || code >= 0x7f) {  // bytes above ASCII as Latin-1: a file name need not be UTF-8
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
      quoted += escaped;
    } else {
      quoted += letter;
    }
  }
  return quoted + '"';
}

inline std::string json_number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

inline std::string json_text(const char* key, std::string_view value) {
  return json_string(key) + ":" + json_string(value);
}

inline std::string json_row(const row& one) {
  const auto real = [](const char* key, double value) { return "," + json_string(key) + ":" + json_number(value); };
  const auto whole = [](const char* key, std::uint64_t value) {
    return "," + json_string(key) + ":" + std::to_string(value);
  };
  return "{" + json_text("collective", one.collective) + whole("bytes", one.bytes) + whole("count", one.count) + "," +
         json_text("type", one.type) + "," + json_text("op", one.op) + "," + json_text("algorithm", one.algorithm) +
         "," + json_text("memory", one.memory) + ",\"in_place\":" + (one.in_place ? "true" : "false") +
         real("time_us", one.time.median) + real("p10_us", one.time.p10) + real("p90_us", one.time.p90) +
         real("kept", one.time.kept) + real("pulse_ns", one.pulse) + real("algbw_gbs", one.algbw()) +
         real("busbw_gbs", one.busbw()) + (one.wrong ? whole("wrong", *one.wrong) : ",\"wrong\":null") +
         (one.other.empty() ? ""
                            : "," + json_text("other", one.other) + real("other_time_us", one.other_time.median) +
                                  real("other_p10_us", one.other_time.p10) + real("other_p90_us", one.other_time.p90) +
                                  real("other_kept", one.other_time.kept) + real("ratio", one.ratio())) +
         "}";
}

/// {"meta":{...},"rows":[...]}, a row a line.
inline std::string json_document(const machine& where, std::string_view call, const std::vector<row>& rows) {
  std::string document = "{\"meta\":{" + json_text("date", where.date) + "," + json_text("host", where.host) + "," +
                         json_text("hardware", where.hardware()) + "," + json_text("versions", where.versions()) +
                         ",\"ranks\":" + std::to_string(where.ranks) + "," + json_text("command", where.command) + "," +
                         json_text("class", where.comparable_with()) + "," + json_text("call", call) + "},\n\"rows\":[";
  for (const row& one : rows) document += (&one == rows.data() ? "\n" : ",\n") + json_row(one);
  return document + "\n]}\n";
}

}  // namespace perf
