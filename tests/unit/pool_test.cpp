// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/core/pool.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

using tutti::detail::pool;

TEST_CASE("pool: what comes back is given out again, but not where it is much too long") {
  pool memory;
  void* const first = memory.take(1000);
  memory.give_back(first);
  CHECK(memory.take(900) == first);
  memory.give_back(first);
  void* const large = memory.take(100000);
  memory.give_back(large);
  void* const small = memory.take(64);
  CHECK(small == first);
  void* const other = memory.take(64);
  CHECK(other != large);
  for (void* one : {small, other}) memory.give_back(one);
}

TEST_CASE("pool: threads use it at the same time") {
  pool memory;
  std::vector<int> wrong(2, 0);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  const auto use = [&](std::size_t me) {
    unsigned char* mine[8] = {};
    for (std::size_t turn = 0; turn % 1000 != 0 || std::chrono::steady_clock::now() < end; ++turn) {
      unsigned char*& one = mine[turn * 5 % 8];
      if (one != nullptr) {
        wrong[me] += one[0] != me + 1 || one[99] != me + 1;
        memory.give_back(one);
      }
      one = static_cast<unsigned char*>(memory.take(100 + turn % 3 * 200));
      one[0] = one[99] = static_cast<unsigned char>(me + 1);
    }
    for (unsigned char* one : mine)
      if (one != nullptr) memory.give_back(one);
  };
  std::thread other(use, std::size_t(1));
  use(0);
  other.join();
  CHECK(wrong[0] == 0);
  CHECK(wrong[1] == 0);
}
