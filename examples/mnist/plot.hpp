// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "output.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace mnist {

/// What an epoch achieved.
struct epoch_result {
  double loss;
  double accuracy;
  double images_per_second;
  double all_reduce_share;
};

using history = std::vector<epoch_result>;

inline std::string curves_as_csv(const history& epochs) {
  std::string text = "epoch,loss,test_accuracy,images_per_second,all_reduce_share\n";
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const auto& e = epochs[i];
    text += format("%zu,%.9g,%.9g,%.6g,%.4g\n", i + 1, e.loss, e.accuracy, e.images_per_second, e.all_reduce_share);
  }
  return text;
}

namespace detail {

/// The nearest of 1, 2, 5 times a power of ten that cuts the range into at most five.
inline double tick_step(double range) {
  const double rough = range / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/// One curve over the epochs, with axes, its left edge at `left`.
inline std::string panel(double left, const char* title, const char* color, const std::vector<double>& values) {
  constexpr double width = 320, top = 40, height = 220;
  double low = values.empty() ? 0 : *std::min_element(values.begin(), values.end());
  double high = values.empty() ? 1 : *std::max_element(values.begin(), values.end());
  if (high - low < 1e-6) low -= 0.05, high += 0.05;
  const double step = tick_step(high - low);
  low = std::floor(low / step) * step;
  high = std::ceil(high / step) * step;
  const std::size_t last = std::max<std::size_t>(values.size(), 2);
  const auto x = [&](std::size_t epoch) {
    return left + width * static_cast<double>(epoch - 1) / static_cast<double>(last - 1);
  };
  const auto y = [&](double value) { return top + height * (high - value) / (high - low); };

  std::string svg =
      format("<text x='%.1f' y='24' text-anchor='middle' font-size='15'>%s</text>\n", left + width / 2, title);
  for (int tick = 0; low + tick * step <= high + step / 2; ++tick) {
    const double value = low + tick * step;
    svg +=
        format("<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#ddd'/>", left, left + width, y(value), y(value));
    svg += format("<text x='%.1f' y='%.1f' text-anchor='end'>%.4g</text>\n", left - 6, y(value) + 4,
                  std::abs(value) < step / 1e6 ? 0.0 : value);
  }
  const std::size_t stride = (last + 9) / 10;
  for (std::size_t epoch = 1; epoch <= last; epoch += stride) {
    svg += format("<text x='%.1f' y='%.1f' text-anchor='middle'>%zu</text>\n", x(epoch), top + height + 18, epoch);
  }
  svg += format("<text x='%.1f' y='%.1f' text-anchor='middle'>epoch</text>\n", left + width / 2, top + height + 36);

  svg += format("<polyline fill='none' stroke='%s' stroke-width='2' points='", color);
  for (std::size_t i = 0; i < values.size(); ++i) svg += format("%.1f,%.1f ", x(i + 1), y(values[i]));
  svg += "'/>\n";
  for (std::size_t i = 0; i < values.size(); ++i) {
    svg += format("<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", x(i + 1), y(values[i]), color);
  }
  return svg;
}

}  // namespace detail

inline std::string curves_as_svg(const history& epochs) {
  std::vector<double> losses, accuracies;
  for (const auto& e : epochs) {
    losses.push_back(e.loss);
    accuracies.push_back(e.accuracy);
  }
  return "<svg xmlns='http://www.w3.org/2000/svg' width='840' height='320' viewBox='0 0 840 320' "
         "font-family='sans-serif' font-size='12'>\n<rect width='840' height='320' fill='white'/>\n" +
         detail::panel(70, "training loss", "#c0392b", losses) +
         detail::panel(490, "test accuracy", "#2471a3", accuracies) + "</svg>\n";
}

/// Writes NAME.svg and NAME.csv for `NAME` or `NAME.svg`; a device or a pipe gets the SVG alone.
inline void write_curves(const std::string& name, const history& epochs) {
  std::error_code ignored;
  const auto status = std::filesystem::status(name, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return write_file(name, curves_as_svg(epochs));  // a folder fails here and says so
  }
  const std::string stem = name.ends_with(".svg") ? name.substr(0, name.size() - 4) : name;
  write_file(stem + ".svg", curves_as_svg(epochs));
  write_file(stem + ".csv", curves_as_csv(epochs));
}

}  // namespace mnist
