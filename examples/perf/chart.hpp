// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "row.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace perf {

// What --svg draws: for each collective the time and the bus bandwidth over the size, both on logarithmic axes, a line
// for each algorithm and one for what it was measured against.
namespace chart {

struct line {
  std::string name;
  std::vector<std::pair<double, double>> times, bandwidths;  // over bytes
};

inline line& line_named(std::vector<line>& lines, const std::string& name) {
  for (line& one : lines)
    if (one.name == name) return one;
  lines.push_back({name, {}, {}});
  return lines.back();
}

inline std::vector<line> lines_of(const std::vector<row>& rows, const std::string& collective) {
  std::vector<line> lines;
  for (const row& one : rows) {
    if (one.collective != collective) continue;
    const auto add = [&](const std::string& name, double time) {
      if (time <= 0) return;
      line& to = line_named(lines, name);
      const double bytes = double(std::max<std::size_t>(one.bytes, 1));
      if (!to.times.empty() && to.times.back().first == bytes) return;  // measured against each algorithm once more
      to.times.emplace_back(bytes, time);
      to.bandwidths.emplace_back(bytes, bytes / time * 1e-3 * one.bus_factor);
    };
    add(std::string("tutti ").append(one.algorithm), one.time.median);
    if (!one.other.empty()) add(one.other, one.other_time.median);
  }
  return lines;
}

inline std::string text(double x, double y, const char* anchor, const std::string& content) {
  char tag[96];
  std::snprintf(tag, sizeof tag, "<text x='%.1f' y='%.1f' text-anchor='%s'>", x, y, anchor);
  return std::string(tag).append(content).append("</text>\n");
}

inline std::string size_name(double bytes) {
  const char* const units[] = {"", "K", "M", "G"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 3; bytes /= 1024) ++unit;
  char name[32];
  std::snprintf(name, sizeof name, "%.4g%s", bytes, units[unit]);
  return name;
}

inline std::string panel(double left, double top, const std::string& title, const std::vector<line>& lines,
                         std::vector<std::pair<double, double>> line::*which) {
  constexpr double width = 360, height = 240;
  static constexpr const char* colors[] = {"#2471a3", "#c0392b", "#229954", "#b9770e", "#7d3c98", "#117a65",
                                           "#5d6d7e", "#a04000", "#1a5276", "#78281f", "#196f3d", "#4a235a"};
  double first = 1e300, last = 0, low = 1e300, high = 0;
  for (const line& one : lines)
    for (const auto& [bytes, value] : one.*which) {
      first = std::min(first, bytes), last = std::max(last, bytes);
      low = std::min(low, value), high = std::max(high, value);
    }
  if (high <= 0) return "";
  low = std::pow(10, std::floor(std::log10(low)));
  high = std::pow(10, std::ceil(std::log10(high) + 1e-9));
  const auto x = [&](double bytes) {
    return left + (last > first ? width * std::log(bytes / first) / std::log(last / first) : width / 2);
  };
  const auto y = [&](double value) { return top + height * std::log(high / value) / std::log(high / low); };

  std::string svg = text(left + width / 2, top - 12, "middle", title);
  char tag[160];
  for (double value = low; value <= high * 1.001; value *= 10) {
    std::snprintf(tag, sizeof tag, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#ddd'/>", left, left + width,
                  y(value), y(value));
    char name[32];
    std::snprintf(name, sizeof name, "%g", value);
    svg += tag;
    svg += text(left - 6, y(value) + 4, "end", name);
  }
  for (double bytes = first; bytes <= last; bytes *= 16)
    svg += text(x(bytes), top + height + 18, "middle", size_name(bytes));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const char* const color = colors[i % std::size(colors)];
    std::snprintf(tag, sizeof tag, "<polyline fill='none' stroke='%s' stroke-width='2'%s points='", color,
                  lines[i].name.starts_with("tutti") ? "" : " stroke-dasharray='6 4'");
    svg += tag;
    for (const auto& [bytes, value] : lines[i].*which) {
      std::snprintf(tag, sizeof tag, "%.1f,%.1f ", x(bytes), y(value));
      svg += tag;
    }
    std::snprintf(tag, sizeof tag, "'/>\n<g fill='%s'>", color);
    svg += tag;
    svg += text(left + 8, top + 16 + 16 * double(i), "start", lines[i].name);
    svg += "</g>\n";
  }
  return svg;
}

inline std::string document(const std::vector<row>& rows) {
  std::vector<std::string> collectives;
  for (const row& one : rows)
    if (std::find(collectives.begin(), collectives.end(), one.collective) == collectives.end())
      collectives.push_back(one.collective);
  std::string panels;
  double top = 40;
  for (const std::string& collective : collectives) {
    const auto lines = lines_of(rows, collective);
    panels += panel(60, top, collective + ": time in microseconds over bytes", lines, &line::times);
    panels += panel(490, top, collective + ": bus bandwidth in GB/s over bytes", lines, &line::bandwidths);
    top += 310;
  }
  const std::string height = std::to_string(int(top));
  return "<svg xmlns='http://www.w3.org/2000/svg' width='880' height='" + height + "' viewBox='0 0 880 " + height +
         "' font-family='sans-serif' font-size='12'>\n<rect width='880' height='" + height + "' fill='white'/>\n" +
         panels + "</svg>\n";
}

}  // namespace chart
}  // namespace perf
