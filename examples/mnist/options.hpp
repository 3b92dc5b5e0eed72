// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace mnist {

/// What --help says; `own` are the lines of the options whose choices depend on the program.
inline std::string usage(const std::string& program, const std::string& own) {
  return "usage: " + program + R"( [options]
Trains a multi-layer perceptron on MNIST, data-parallel: gradients are summed by tutti::all_reduce.

)" + own +
         R"(  --hidden W,...    widths of the hidden layers, e.g. 512,512 (default 300)
  --epochs N        (default 10)
  --batch N         images a step, over all ranks together (default 128)
  --lr X            learning rate (default 0.05)
  --momentum X      in [0, 1) (default 0.9)
  --seed N          of the weights and of the order of the images (default 1)
  --data DIR        folder of the four IDX files, plain or .gz; or the word synthetic
                    (default: $TUTTI_MNIST, then examples/mnist/data)
  --limit N         train on the first N images
  --plot NAME.svg   write the curves as NAME.svg and NAME.csv after each epoch
  --check           prove after each epoch that all ranks hold the same parameters, bit for bit
  --help
)";
}

struct options {
  std::optional<int> ranks;  // empty: as many as the launcher says, or what the program takes
  std::string transport = "shm";
  std::string algorithm = "automatic";
  std::vector<std::size_t> hidden = {300};
  int epochs = 10;
  std::size_t batch = 128;
  float rate = 0.05F;
  float momentum = 0.9F;
  std::uint64_t seed = 1;
  std::string data;
  std::optional<std::size_t> limit;
  std::string plot;
  bool check = false;
  bool help = false;
};

/// A command line that can't be understood: what() names the option, what was expected and what was found.
struct options_error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

namespace detail {

[[noreturn]] inline void refuse(std::string_view option, const std::string& expected, std::string_view found) {
  throw options_error(std::string(option) + ": expected " + expected + ", found '" + std::string(found) + "'");
}

template <class T>
T whole_number(std::string_view option, std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    refuse(option, "a whole number from " + std::to_string(least) + " to " + std::to_string(most), text);
  }
  return value;
}

inline float number(std::string_view option, std::string_view text, const std::string& expected) {
  float value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    refuse(option, expected, text);
  }
  return value;
}

inline std::vector<std::size_t> widths(std::string_view option, std::string_view text) {
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    result.push_back(whole_number<std::size_t>(option, text.substr(at, comma - at), 1, 1U << 16));
    at = comma + 1;
  }
  return result;
}

}  // namespace detail

/// Options as `--name value` or `--name=value`; the last one wins. Throws options_error.
inline options parse_options(std::span<const char* const> arguments) {
  options result;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string_view argument = arguments[at];
    const std::size_t equals = argument.substr(0, 2) == "--" ? argument.find('=') : std::string_view::npos;
    const std::string_view name = argument.substr(0, equals);
    const bool has_value = equals != std::string_view::npos;

    if (name == "--check" || name == "--help" || name == "-h") {
      if (has_value) throw options_error(std::string(name) + " takes no value");
      (name == "--check" ? result.check : result.help) = true;
      continue;
    }
    const auto value = [&]() -> std::string_view {
      if (has_value) return argument.substr(equals + 1);
      if (at + 1 == arguments.size()) throw options_error(std::string(name) + ": the value is missing");
      return arguments[++at];
    };

    constexpr int most = std::numeric_limits<int>::max();
    if (name == "--ranks") {
      result.ranks = detail::whole_number<int>(name, value(), 1, most);
    } else if (name == "--transport") {
      result.transport = value();
      if (result.transport != "shm" && result.transport != "threads" && result.transport != "mpi" &&
          result.transport != "hybrid") {
        detail::refuse(name, "shm, threads, mpi or hybrid", result.transport);
      }
    } else if (name == "--algorithm") {
      result.algorithm = value();  // tutti::one_of knows the names
    } else if (name == "--hidden") {
      result.hidden = detail::widths(name, value());
    } else if (name == "--epochs") {
      result.epochs = detail::whole_number<int>(name, value(), 1, most);
    } else if (name == "--batch") {
      result.batch = detail::whole_number<std::size_t>(name, value(), 1, most);
    } else if (name == "--lr") {
      const auto text = value();
      result.rate = detail::number(name, text, "a number above 0");
      if (result.rate <= 0.0F) detail::refuse(name, "a number above 0", text);
    } else if (name == "--momentum") {
      const auto text = value();
      result.momentum = detail::number(name, text, "a number from 0 to below 1");
      if (result.momentum < 0.0F || result.momentum >= 1.0F) {
        detail::refuse(name, "a number from 0 to below 1", text);
      }
    } else if (name == "--seed") {
      result.seed = detail::whole_number<std::uint64_t>(name, value(), 0, std::numeric_limits<std::uint64_t>::max());
    } else if (name == "--limit") {
      result.limit = detail::whole_number<std::size_t>(name, value(), 1, most);
    } else if (name == "--data" || name == "--plot") {
      const auto text = value();
      if (text.empty()) detail::refuse(name, "a name", text);
      (name == "--data" ? result.data : result.plot) = text;
    } else {
      throw options_error("unknown option '" + std::string(argument) + "'; --help lists them");
    }
  }
  return result;
}

}  // namespace mnist
