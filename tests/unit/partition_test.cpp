// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/core/partition.hpp>

#include <doctest/doctest.h>

#include <cstddef>

using tutti::partition;
using tutti::range;

TEST_CASE("blocks follow each other, cover everything, and the first count % blocks are one longer") {
  for (int blocks = 1; blocks <= 17; ++blocks)
    for (std::size_t count = 0; count <= 60; ++count) {
      const partition cut(count, blocks);
      std::size_t next = 0;
      for (int b = 0; b < blocks; ++b) {
        CAPTURE(count);
        CAPTURE(blocks);
        CAPTURE(b);
        CHECK(cut[b].first == next);
        CHECK(cut.first(b) == next);
        CHECK(cut[b].count == count / std::size_t(blocks) + (std::size_t(b) < count % std::size_t(blocks) ? 1 : 0));
        CHECK(cut[b].count <= cut.largest());
        CHECK(tutti::shard(count, blocks, b) == cut[b]);
        next = cut[b].end();
      }
      CHECK(next == count);
      CHECK(cut[0].count == cut.largest());
    }
}

TEST_CASE("neighbouring blocks join") {
  const partition cut(10, 4);  // 3 3 2 2
  CHECK(cut.span(0, 4) == range{0, 10});
  CHECK(cut.span(1, 2) == range{3, 5});
  CHECK(cut.span(3, 0) == range{8, 0});
  CHECK(cut.span(4, 0) == range{10, 0});
}

TEST_CASE("more blocks than elements leave the last ones empty") {
  const partition cut(2, 5);
  CHECK(cut[0] == range{0, 1});
  CHECK(cut[1] == range{1, 1});
  CHECK(cut[2] == range{2, 0});
  CHECK(cut[4] == range{2, 0});
  CHECK(partition(0, 3).largest() == 0);
}

// Counts of bytes that no int can hold: 70 000 ranks with 64 KiB each.
static_assert(partition(std::size_t(70000) * 65536, 70000)[69999] == range{std::size_t(69999) * 65536, 65536});
static_assert(partition((std::size_t(1) << 40) + 1, 3).largest() == 366503875926);
