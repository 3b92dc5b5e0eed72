// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copying out of another process: what is there comes whole, what isn't gives the system's reason.
#include <tutti/transport/process_memory.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
std::uint64_t address_of(const void* memory) { return std::uint64_t(reinterpret_cast<std::uintptr_t>(memory)); }
}  // namespace

TEST_CASE("a copy of what lies in another process") {
  std::vector<int> numbers(100000), copied(100000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = int(i);
  int ready[2], over[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(over) == 0);
  const pid_t child = fork();
  if (child == 0) {
    for (int& one : numbers) one += 7;
    char word = 1;
    if (write(ready[1], &word, 1) != 1 || read(over[0], &word, 1) != 1) _exit(1);
    _exit(0);
  }
  char word = 0;
  REQUIRE(read(ready[0], &word, 1) == 1);
  const int reason =
      tutti::detail::copy_from_process(child, address_of(numbers.data()), copied.data(), copied.size() * sizeof(int));
  if (reason == 0) {
    CHECK(copied.front() == 7);
    CHECK(copied.back() == 99999 + 7);
  } else {
    CHECK(reason == EPERM);  // a system that forbids it
  }
  REQUIRE(write(over[1], &word, 1) == 1);
  waitpid(child, nullptr, 0);
  CHECK(tutti::detail::copy_from_process(child, address_of(numbers.data()), copied.data(), 4) == ESRCH);
  for (const int end : {ready[0], ready[1], over[0], over[1]}) close(end);
}

TEST_CASE("memory that ends on the way") {
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  munmap(static_cast<char*>(pages) + page, page);
  std::vector<char> copied(2 * page);
  CHECK(tutti::detail::copy_from_process(getpid(), address_of(pages), copied.data(), 2 * page) == EFAULT);
  CHECK(tutti::detail::copy_from_process(getpid(), address_of(pages), copied.data(), page) == 0);
  CHECK(tutti::detail::copy_from_process(getpid(), address_of(pages), nullptr, 0) == 0);
  munmap(pages, page);
}

TEST_CASE("what TUTTI_SINGLE_COPY says") {
  using tutti::detail::single_copy, tutti::detail::single_copy_wanted;
  CHECK(single_copy_wanted() == single_copy::where_it_pays);
  for (const auto& one : {std::pair{"0", single_copy::never}, std::pair{"1", single_copy::always},
                          std::pair{"", single_copy::where_it_pays}, std::pair{"2", single_copy::where_it_pays},
                          std::pair{"01", single_copy::where_it_pays}}) {
    CAPTURE(one.first);
    setenv("TUTTI_SINGLE_COPY", one.first, 1);
    CHECK(single_copy_wanted() == one.second);
  }
  unsetenv("TUTTI_SINGLE_COPY");
}

TEST_CASE("what a copy from a process costs is found once") {
  const double cost = tutti::detail::cost_of_copy_from_process();
  CHECK(cost > 0.1);
  CHECK(cost == tutti::detail::cost_of_copy_from_process());
}
