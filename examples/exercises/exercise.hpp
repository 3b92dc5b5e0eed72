// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the exercises share: two options, the launch of their ranks, and lines that arrive whole.

#include "../mpi_start.hpp"

#include <tutti/tutti.hpp>

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace exercise {

// ---- printing -----------------------------------------------------------------------------------------------

/// A list as [1 2 3], a list of lists as [[1 2] [3 4]], anything else as it prints itself.
template <class Value>
void write(std::ostream& out, const Value& value) {
  if constexpr (requires { out << value; }) {
    out << value;
  } else {
    const char* gap = "";
    out << '[';
    for (const auto& one : value) {
      out << gap;
      write(out, one);
      gap = " ";
    }
    out << ']';
  }
}

/// One line in one write, so that the lines of several processes don't mix.
template <class... Parts>
void print(const Parts&... parts) {
  std::ostringstream line;
  (write(line, parts), ...);
  line << '\n';
  const std::string text = line.str();
  if (::write(STDOUT_FILENO, text.data(), text.size()) != ssize_t(text.size()))
    throw std::runtime_error("cannot write to standard output");
}

/// The same for a line that belongs to a rank.
template <class Communicator, class... Parts>
void say(const Communicator& comm, const Parts&... parts) {
  print("[Rank ", comm.rank(), "] ", parts...);
}

/// A heading, between what all ranks say before and after it.
template <class Communicator>
void title(Communicator& comm, std::string_view text) {
  tutti::barrier(comm);
  if (comm.rank() == 0) print("# ", text);
  tutti::barrier(comm);
}

// ---- options and launch -------------------------------------------------------------------------------------

struct usage_error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct options {
  std::optional<int> ranks;  // empty: as many as the launcher says, or 4
  std::string transport;
};

/// The transports that a program has: the usual one first, and expect(), which throws for others.
struct host_transports {
  static constexpr const char* usual = "shm";
  static constexpr const char* all = "shm|threads|mpi|hybrid";
  static void expect(const std::string& value) {
    if (value != "shm" && value != "threads" && value != "mpi" && value != "hybrid")
      throw usage_error("--transport is shm, threads, mpi or hybrid, not " + value);
    if ((value == "mpi" || value == "hybrid") && !mpi_start::built_in) throw usage_error(mpi_start::not_built_in);
  }
};

template <class Transports>
options parse(int argc, char** argv, const tutti::launcher_info& launcher) {
  options chosen{{}, Transports::usual};
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (option != "--ranks" && option != "--transport") throw usage_error("there is no option " + option);
    if (i + 1 == argc) throw usage_error(option + " needs a value");
    const std::string value = argv[i + 1];
    if (option == "--transport") {
      Transports::expect(value);
      chosen.transport = value;
    } else {
      int ranks = 0;
      const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), ranks);
      if (wrong != std::errc{} || end != value.data() + value.size() || ranks < 1)
        throw usage_error("--ranks is a whole number of at least 1, not " + value);
      chosen.ranks = ranks;
    }
  }
  if (chosen.transport == "threads" && launcher.size > 1)
    throw usage_error("--transport threads: the launcher started processes");
  return chosen;
}

/// What main returns: launch(options, launcher, name of the program), or 2 or 1 and a line that says why.
template <class Transports, class Launch>
int start(int argc, char** argv, Launch launch) {
  const std::string path = argv[0], name = path.substr(path.rfind('/') + 1);
  bool first = true;
  try {
    const auto launcher = tutti::find_launcher();
    first = launcher.rank == 0;
    return launch(parse<Transports>(argc, argv, launcher), launcher, name);
  } catch (const usage_error& wrong) {
    if (first)  // all ranks of a launcher see the same wrong option
      std::fprintf(stderr, "%s: %s\nusage: %s [--ranks N] [--transport %s]\n", name.c_str(), wrong.what(), name.c_str(),
                   Transports::all);
    return 2;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), failure.what());
    return 1;
  }
}

/// Runs work(communicator) on every rank: of the launcher where there is one, else of --ranks processes or threads.
/// Over MPI and hybrid the ranks are always the launcher's; without one there is one.
template <class Work>
int run(int argc, char** argv, Work work) {
  return start<host_transports>(argc, argv, [&](const options& chosen, const auto& launcher, const std::string& name) {
    const int ranks = chosen.ranks.value_or(launcher ? launcher.size : 4);
    if (mpi_start::starts(chosen.transport))
      mpi_start::launch(chosen.transport, name.c_str(), chosen.ranks, work);
    else if (chosen.transport == "threads")
      tutti::threads::launch(ranks, work);
    else
      tutti::shm::launch(ranks, work);
    return 0;
  });
}

}  // namespace exercise
