// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More than 2^31 elements and bytes: a count or an offset that is an int somewhere goes wrong here. Needs memory for
// two such vectors; where there is less free, it says so and counts as passed by its smaller relatives.
#include "world.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace {

using conformance::threads;

constexpr std::size_t huge = (std::size_t(1) << 31) + 8;
constexpr tutti::range everything{0, huge};

std::size_t available_bytes() {
  std::size_t kib = 0;
  char line[128];
  if (std::FILE* file = std::fopen("/proc/meminfo", "re")) {
    while (std::fgets(line, sizeof line, file) != nullptr)
      if (std::sscanf(line, "MemAvailable: %zu", &kib) == 1) break;
    std::fclose(file);
  }
  return kib * 1024;
}

/// Eight bytes at a time, or writing and reading would take longer than the collective.
std::uint64_t word(std::size_t i, std::uint64_t salt) { return (i + salt) * 0x9E3779B97F4A7C15u; }

void write(std::span<std::uint8_t> whole, tutti::range part, std::uint64_t salt) {
  for (std::size_t i = part.first / 8 * 8; i < part.end(); i += 8) {
    const std::uint64_t value = word(i / 8, salt);
    const std::size_t skipped = i < part.first ? part.first - i : 0;  // a shard may begin and end within a word
    const std::size_t end = part.end() - i < 8 ? part.end() - i : 8;
    std::memcpy(whole.data() + i + skipped, reinterpret_cast<const std::uint8_t*>(&value) + skipped, end - skipped);
  }
}
void expect(const char* collective, int rank, std::span<const std::uint8_t> whole, std::uint64_t salt) {
  for (std::size_t i = 0; i + 8 <= whole.size(); i += 8) {
    const std::uint64_t value = word(i / 8, salt);
    if (std::memcmp(whole.data() + i, &value, 8) != 0)
      throw std::runtime_error(std::string(collective) + " of " + std::to_string(whole.size()) + " bytes on rank " +
                               std::to_string(rank) + " is wrong at byte " + std::to_string(i));
  }
}

struct give_back {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

TEST_CASE("threads: more than 2^31 bytes") {
  if (conformance::reduced || available_bytes() < (std::size_t(6) << 30)) {
    MESSAGE("left out: a reduced run, or less than 6 GiB of free memory");
    return;
  }
  conformance::in_world<threads>(2, [](threads::communicator& comm) {
    const std::unique_ptr<std::uint8_t, give_back> memory(static_cast<std::uint8_t*>(std::malloc(huge)));
    if (!memory) throw std::runtime_error("no memory");
    const std::span<std::uint8_t> whole(memory.get(), huge);

    if (comm.rank() == 1) write(whole, everything, 1);
    tutti::broadcast(comm, whole, 1);
    expect("broadcast", comm.rank(), whole, 1);
    if (comm.rank() == 0) write(whole, everything, 2);
    tutti::broadcast<tutti::tree, tutti::whole>(comm, whole, 0);
    expect("broadcast by tree", comm.rank(), whole, 2);

    const tutti::range mine = tutti::shard(huge, 2, comm.rank());
    const auto gather = [&](const char* name, std::uint64_t salt, auto algorithm) {
      write(whole, mine, salt);
      tutti::all_gather(comm, tutti::in_place(whole), algorithm);
      expect(name, comm.rank(), whole, salt);
    };
    gather("all_gather", 3, tutti::automatic{});
    gather("all_gather by ring", 4, tutti::ring{});

    write(whole, everything, 5);
    tutti::all_reduce<tutti::ring>(
        comm, whole, [](std::uint8_t a, std::uint8_t b) { return a == b ? a : std::uint8_t(0); }, tutti::direct{});
    expect("all_reduce", comm.rank(), whole, 5);
  });
}
