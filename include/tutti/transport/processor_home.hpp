// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sched.h>

namespace tutti::detail {

/// Reads a list of processors as Linux writes them, "0-3,8,10-11". False where it is none; what a cpu_set_t has no room
/// for is left out.
inline bool read_processors(const char* text, cpu_set_t& set) {
  CPU_ZERO(&set);
  const auto number = [&text](long& value) {
    if (*text < '0' || *text > '9') return false;
    char* end = nullptr;
    value = std::strtol(text, &end, 10);
    text = end;
    return true;
  };
  for (;; ++text) {
    long first = 0, last = 0;
    if (!number(first)) return false;
    last = first;
    if (*text == '-' && (++text, !number(last))) return false;
    if (last < first) return false;
    for (long one = first; one <= last && one < CPU_SETSIZE; ++one) CPU_SET(std::size_t(one), &set);
    if (*text != ',') break;
  }
  return *text == '\n' || *text == 0;
}

/// Where on its machine a thread stays: the last-level cache and the memory node that all its processors share, each by
/// the first processor that it has; nowhere where its processors belong to several, or the system doesn't say.
struct processor_home {
  static constexpr std::uint16_t nowhere = 0xffff;
  std::uint16_t cache = nowhere, node = nowhere;

  /// The root is another one in tests.
  static processor_home of_this_thread(const char* root = "/sys/devices/system") {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? of(mine, root) : processor_home{};
  }
  static processor_home of(const cpu_set_t& mine, const char* root) {
    processor_home home;
    cpu_set_t shared;
    const int first = first_of(mine);
    if (first == nowhere) return home;
    if (look("%s/cpu/cpu%d/cache/index3/shared_cpu_list", root, first, shared) && holds(shared, mine))
      home.cache = std::uint16_t(first_of(shared));
    cpu_set_t nodes;
    if (!look("%s/node/online", root, 0, nodes)) return home;
    for (int node = 0; node < CPU_SETSIZE; ++node)
      if (CPU_ISSET(std::size_t(node), &nodes) && look("%s/node/node%d/cpulist", root, node, shared) &&
          holds(shared, mine))
        home.node = std::uint16_t(first_of(shared));
    return home;
  }

  std::uint64_t packed() const { return std::uint64_t(node) << 16 | cache; }
  static processor_home unpacked(std::uint64_t word) { return {std::uint16_t(word), std::uint16_t(word >> 16)}; }

 private:
  static int first_of(const cpu_set_t& set) {
    for (int one = 0; one < CPU_SETSIZE; ++one)
      if (CPU_ISSET(std::size_t(one), &set)) return one;
    return nowhere;
  }
  static bool holds(const cpu_set_t& all, const cpu_set_t& part) {
    cpu_set_t both;
    CPU_AND(&both, &all, &part);
    return CPU_EQUAL(&both, &part);
  }
  static bool look(const char* path, const char* root, int number, cpu_set_t& found) {
    char name[512], text[4096];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(name, sizeof name, path, root, number);
#pragma GCC diagnostic pop
    if (length < 0 || std::size_t(length) >= sizeof name) return false;
    std::FILE* const file = std::fopen(name, "re");
    if (file == nullptr) return false;
    const std::size_t got = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[got] = 0;
    return read_processors(text, found);
  }
};

/// One color for the ranks that share a last-level cache; where each has one of its own, or one rank has none, for
/// those that share a memory node. Empty where that tells no ranks apart, or all.
inline std::vector<int> colors_by_home(const std::vector<processor_home>& homes) {
  for (const auto domain : {&processor_home::cache, &processor_home::node}) {
    bool complete = true, differ = false, together = false;
    for (std::size_t rank = 0; rank < homes.size(); ++rank) {
      complete = complete && homes[rank].*domain != processor_home::nowhere;
      differ = differ || homes[rank].*domain != homes[0].*domain;
      for (std::size_t other = 0; other < rank && !together; ++other)
        together = homes[rank].*domain == homes[other].*domain;
    }
    if (!complete || !differ || !together) continue;
    std::vector<int> colors;
    for (const processor_home& one : homes) colors.push_back(one.*domain);
    return colors;
  }
  return {};
}

}  // namespace tutti::detail
