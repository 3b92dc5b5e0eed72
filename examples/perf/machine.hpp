// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/version.hpp>
#include <tutti/transport/cpus.hpp>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/utsname.h>

namespace perf {

/// Where and how something was measured.
struct machine {
  std::string date, host, cpu, command, transport;
  int cores = 0;
  int ranks = 0;
  std::string devices{}, libraries{};  // of the ranks, where these have devices; see meeting

  std::string hardware() const {
    return (devices.empty() ? "" : devices + "; ") + cpu + ", " + std::to_string(cores) + " cores usable";
  }
  std::string versions() const {
    return "tutti " + std::to_string(TUTTI_VERSION_MAJOR) + "." + std::to_string(TUTTI_VERSION_MINOR) + "." +
           std::to_string(TUTTI_VERSION_PATCH) + ", " + compiler() + (libraries.empty() ? "" : ", " + libraries);
  }
  /// Times of ranks that share cores are those of the scheduler too: only the like may be compared.
  std::string comparable_with() const {
    if (!devices.empty()) return transport + ", a device for each rank";
    return transport + (ranks <= cores ? ", a core for each rank" : ", more ranks than cores");
  }

 private:
  static std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
  }
};

/// To one of the processors that the program may use.
inline void pin_this_thread(const std::vector<int>& cpus, int index) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpus[std::size_t(index)], &set);
  sched_setaffinity(0, sizeof set, &set);  // where that isn't allowed, the output says that it floats
}
inline std::vector<int> usable_cpu_numbers() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> numbers;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) numbers.push_back(cpu);
  return numbers;
}

namespace detail {

inline std::string cpu_model(const std::string& otherwise) {
  std::string model = otherwise;
  if (std::FILE* file = std::fopen("/proc/cpuinfo", "re")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr) {
      const char* colon = std::strchr(line, ':');
      if (std::strncmp(line, "model name", 10) != 0 || colon == nullptr || colon[1] == 0) continue;
      model = colon + 2;
      if (!model.empty() && model.back() == '\n') model.pop_back();
      break;
    }
    std::fclose(file);
  }
  return model;
}

/// In UTC, as ISO 8601 writes it.
inline std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace detail

inline machine this_machine(int argc, const char* const* argv, const std::string& transport, int ranks) {
  utsname system{};
  uname(&system);
  machine here{
      detail::now(), system.nodename, detail::cpu_model(system.machine), "", transport, tutti::detail::usable_cpus(),
      ranks};
  for (int i = 0; i < argc; ++i) here.command.append(i == 0 ? "" : " ").append(argv[i]);
  return here;
}

}  // namespace perf
