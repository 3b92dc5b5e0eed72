// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "output.hpp"
#include "sizes.hpp"
#include "types.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace perf {

inline constexpr const char* usage = R"(usage: tutti_perf [options]
Measures the collectives of tutti, in the manner of nccl-tests.

  --transport T     shm (processes, the default), threads or, where the program was built with it, mpi or hybrid (start
                    it with mpirun); the program of preset cuda has nccl (processes with a GPU each) instead
  --collective C    all_reduce (the default), another one, or all; --list names them
  --algorithm A     automatic (the default), another one, or all that serve the collective; --list names them
  --versus T:A      measure algorithm A on transport T too, in turns, call by call; adds its time and the ratio, above 1
                    where it is slower. T is the transport itself, another one of mpi, hybrid and
                    shm, or, where the program was built with it, gloo, whose algorithm is native
  --op O            sum (the default), prod, min, max, avg, or argmax of values with their places
  --type T          float (the default), double, half, bf16, i8, u8, i32, u32, i64 or u64
  --call C          blocking (the default), async (a request, waited for at once) or plan (prepared once, run again and
                    again)
  --graph           on nccl: capture calls in a CUDA graph and time its replays
  --memory M        plain (the default) or allocated: what comm.allocate gives, on shm, threads and nccl
  --root R          (default 0)
  --in-place        the result replaces the input
  --ranks N         number of ranks (default 4, on nccl one for each GPU; under mpirun, srun or torchrun: theirs)
  -b BYTES          the smallest size (default 8); suffixes K, M, G are 2^10, 2^20, 2^30
  -e BYTES          the largest size (default 64M)
  -f FACTOR         from one size to the next (default 2)
  --iters N         timed iterations of each size (default: 1000 of small ones to 10 of large ones)
  --warmup N        iterations before them (default: 1 and a tenth of --iters)
  --check           compare every element of every iteration on every rank with what it must be; exit 1 if one is wrong
  --json FILE       write meta data and rows to FILE
  --tune            measure one_phase against direct for 2, 4, 8, ... ranks (or --ranks), from 256 bytes to 64K (or -b,
                    -e), and print the sizes where they cross as C++ that automatic can go by
  --svg FILE        draw time and bus bandwidth over the size, all sides
  --list            what can be measured
  --help
)";

/// What tutti is measured against.
struct opponent {
  std::string transport, algorithm;
  std::string name() const { return transport + ":" + algorithm; }
};

struct options {
  std::string transport;  // the first that the program has
  std::string collective = "all_reduce";
  std::string algorithm = "automatic";
  std::string op = "sum";
  std::string type = "float";
  std::string call = "blocking";
  std::string memory = "plain";
  int root = 0;
  bool in_place = false;
  bool graph = false;
  bool tune = false;
  std::optional<int> ranks;  // empty: as many as the launcher says, or 4
  size_range sizes;
  std::optional<int> iterations;  // empty: by size
  std::optional<int> warmup;
  bool check = false;
  std::optional<opponent> versus;
  std::string json, svg;
  bool list = false;
  bool help = false;

  /// How the calls are made, in a word.
  std::string how() const { return graph ? "graph" : transport == "nccl" ? "enqueued" : call; }
};

/// A command line that can't be understood: what() names the option, what was expected and what was found.
struct options_error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

namespace detail {

[[noreturn]] inline void refuse(std::string_view option, const std::string& expected, std::string_view found) {
  throw options_error(std::string(option) + ": expected " + expected + ", found '" + std::string(found) + "'");
}

inline std::size_t number(std::string_view text, std::string_view digits, std::string_view option,
                          const std::string& expected, std::size_t most) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value > most) refuse(option, expected, text);
  return value;
}

inline int whole_number(std::string_view option, std::string_view text, int least, int most) {
  const std::string expected = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const std::size_t value = number(text, text, option, expected, std::size_t(most));
  if (value < std::size_t(least)) refuse(option, expected, text);
  return int(value);
}

/// K, M, G = 2^10, 2^20, 2^30.
inline std::size_t bytes(std::string_view option, std::string_view text) {
  const std::string expected = "a number of bytes from 1 to 1024G, with K, M or G or without";
  const std::size_t suffix = text.empty() ? std::string_view::npos : std::string_view("KMG").find(text.back());
  const std::size_t unit = suffix == std::string_view::npos ? 1 : std::size_t(1024) << (10 * suffix);
  const std::size_t most = (std::size_t(1) << 40) / unit;
  const std::size_t value = number(text, unit == 1 ? text : text.substr(0, text.size() - 1), option, expected, most);
  if (value == 0) refuse(option, expected, text);
  return value * unit;
}

inline std::string one_of(std::string_view option, std::string_view text, const std::vector<const char*>& names) {
  if (std::find(names.begin(), names.end(), text) == names.end()) refuse(option, "one of " + joined(names), text);
  return std::string(text);
}

}  // namespace detail

/// Those that this program was built with, its default first. See launch.hpp.
std::vector<const char*> every_transport();
/// Those and what else it can measure against.
std::vector<const char*> every_peer();

/// Options as `--name value` or `--name=value`; the last one wins. Throws options_error. Collective and algorithm are
/// taken as they are: their lists know the names.
inline options parse_options(std::span<const char* const> arguments) {
  options result;
  const auto transports = every_transport();
  const bool has_graphs = std::find(transports.begin(), transports.end(), std::string_view("nccl")) != transports.end();
  result.transport = transports[0];
  std::optional<std::size_t> first, last;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string_view argument = arguments[at];
    const std::size_t equals = argument.substr(0, 2) == "--" ? argument.find('=') : std::string_view::npos;
    const std::string_view name = argument.substr(0, equals);
    const bool has_value = equals != std::string_view::npos;

    bool* const word = name == "--in-place"               ? &result.in_place
                       : name == "--check"                ? &result.check
                       : name == "--graph" && has_graphs  ? &result.graph
                       : name == "--tune"                 ? &result.tune
                       : name == "--list"                 ? &result.list
                       : name == "--help" || name == "-h" ? &result.help
                                                          : nullptr;
    if (word != nullptr) {
      if (has_value) throw options_error(std::string(name) + " takes no value");
      *word = true;
      continue;
    }
    if (name == "--graph") throw options_error("--graph is not in this program; on nccl, that of preset cuda has it");
    const auto value = [&]() -> std::string_view {
      if (has_value) return argument.substr(equals + 1);
      if (at + 1 == arguments.size()) throw options_error(std::string(name) + ": the value is missing");
      return arguments[++at];
    };

    constexpr int most = 1 << 30;
    if (name == "--transport") {
      result.transport = detail::one_of(name, value(), transports);
    } else if (name == "--collective") {
      result.collective = value();
    } else if (name == "--versus") {
      const auto text = value();
      const std::size_t colon = text.find(':');
      if (colon == std::string_view::npos) detail::refuse(name, "a transport, a colon and an algorithm", text);
      result.versus = {detail::one_of(name, text.substr(0, colon), every_peer()), std::string(text.substr(colon + 1))};
    } else if (name == "--algorithm") {
      result.algorithm = value();
    } else if (name == "--op") {
      result.op = detail::one_of(name, value(), names_of(every_op));
    } else if (name == "--type") {
      result.type = detail::one_of(name, value(), names_of(every_type));
    } else if (name == "--call") {
      result.call = detail::one_of(name, value(), {"blocking", "async", "plan"});
    } else if (name == "--memory") {
      result.memory = detail::one_of(name, value(), {"plain", "allocated"});
    } else if (name == "--root") {
      result.root = detail::whole_number(name, value(), 0, most);
    } else if (name == "--ranks") {
      result.ranks = detail::whole_number(name, value(), 1, most);
    } else if (name == "-b") {
      first = detail::bytes(name, value());
    } else if (name == "-e") {
      last = detail::bytes(name, value());
    } else if (name == "-f") {
      result.sizes.factor = std::size_t(detail::whole_number(name, value(), 2, most));
    } else if (name == "--iters") {
      result.iterations = detail::whole_number(name, value(), 1, 1000000);
    } else if (name == "--warmup") {
      result.warmup = detail::whole_number(name, value(), 0, 1000000);
    } else if (name == "--json" || name == "--svg") {
      const auto text = value();
      if (text.empty()) detail::refuse(name, "a name", text);
      (name == "--json" ? result.json : result.svg) = text;
    } else {
      throw options_error("unknown option '" + std::string(argument) + "'; --help lists them");
    }
  }
  result.sizes.first = first.value_or(result.tune ? 256 : result.sizes.first);
  result.sizes.last = last.value_or(result.tune ? 64 * 1024 : result.sizes.last);
  if (result.sizes.last < result.sizes.first) {
    throw options_error("-e: " + std::to_string(result.sizes.last) + " bytes are less than the " +
                        std::to_string(result.sizes.first) + " of -b");
  }
  if (result.tune) {
    const options usual;
    if (result.transport != "shm" && result.transport != "threads")
      throw options_error("--tune: automatic goes by no table on " + result.transport +
                          (result.transport == "nccl" ? "" : ", but by a model; TUTTI_MODEL=tune measures that"));
    if (result.collective != usual.collective || result.algorithm != usual.algorithm || result.versus)
      throw options_error(
          "--tune measures all_reduce by one_phase and direct; leave --collective, --algorithm and "
          "--versus out");
    if (result.ranks == 1) throw options_error("--tune: 1 rank has nothing to choose from");
  }
  if (result.transport == "nccl" && result.call != "blocking")
    throw options_error("--call " + result.call + ": on nccl every call is enqueued; --graph prepares calls");
  if (result.memory == "allocated" && (result.transport == "mpi" || result.transport == "hybrid"))
    throw options_error("--memory allocated: " + result.transport + " has no such memory; shm and threads have");
  if (result.versus) {
    const std::string &one = result.transport, &other = result.versus->transport;
    if (one != other && (one == "threads" || other == "threads"))
      throw options_error("--versus " + result.versus->name() + ": can't be measured in one run with --transport " +
                          one + "; mpi, hybrid and shm can");
  }
  return result;
}

}  // namespace perf
