// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy_bytes against a loop by bytes: lengths around its borders, both ends at every place of a line, nothing beside
// touched.
#include <tutti/core/copy.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace {

constexpr std::size_t margin = 64, longest = 70000;

std::vector<std::byte> noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> made(count);
  for (std::byte& one : made) one = std::byte(random() & 255);
  return made;
}

template <class Copy>
bool copies(std::size_t bytes, std::size_t from_at, std::size_t to_at, Copy copy) {
  static const std::vector<std::byte> source = noise(longest + 2 * margin, 1), before = noise(longest + 4 * margin, 2);
  std::vector<std::byte> found(before.begin(), before.begin() + std::ptrdiff_t(bytes + 4 * margin)), expected = found;
  for (std::size_t i = 0; i < bytes; ++i) expected[margin + to_at + i] = source[from_at + i];
  copy(found.data() + margin + to_at, source.data() + from_at, bytes);
  return found == expected;
}

}  // namespace

TEST_CASE("copy_bytes copies what it is told, and nothing beside it") {
  const auto copy = [](std::byte* to, const std::byte* from, std::size_t bytes) {
    tutti::detail::copy_bytes(to, from, bytes);
  };
  for (const int length : {0, 1, 7, 511, 512, 2047, 2048, 2049, 2079, 2111, 2112, 4096, 4097, 65535, 65536, 70000})
    for (std::size_t at = 0; at < margin; at += 3) {
      const auto bytes = std::size_t(length);
      CAPTURE(bytes);
      CAPTURE(at);
      CHECK(copies(bytes, at, 0, copy));
      CHECK(copies(bytes, 0, at, copy));
      CHECK(copies(bytes, at, margin - 1 - at, copy));
    }
  tutti::detail::copy_bytes(nullptr, nullptr, 0);
}

/// By a loop or by one instruction, as the ends lie modulo 4 KiB.
TEST_CASE("copy_bytes, wherever the ends lie in their pages") {
  const std::vector<std::byte> source = noise(3 * 4096, 3);
  for (const std::size_t bytes : {std::size_t(2048), std::size_t(4095)})
    for (std::size_t at = 0; at < 4096; at += 31) {
      std::vector<std::byte> found(3 * 4096, std::byte(0xEE));
      std::byte* const to = found.data() + 4096;
      tutti::detail::copy_bytes(to, source.data() + at, bytes);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < bytes; ++i) wrong += to[i] != source[at + i] ? 1U : 0U;
      for (std::size_t i = 0; i < 4096; ++i) wrong += found[i] != std::byte(0xEE) ? 1U : 0U;
      for (std::size_t i = 4096 + bytes; i < found.size(); ++i) wrong += found[i] != std::byte(0xEE) ? 1U : 0U;
      CAPTURE(at);
      CHECK(wrong == 0);
    }
}

#if TUTTI_COPIES_BY_LOOP
TEST_CASE("each way to copy by itself, from the shortest on") {
  for (std::size_t bytes = 128; bytes < 520; ++bytes)
    for (const unsigned at : {0u, 1u, 15u, 16u, 17u, 31u, 33u, 63u}) {
      CAPTURE(bytes);
      CAPTURE(at);
      CHECK(copies(bytes, at, 0, tutti::detail::copy_baseline));
      CHECK(copies(bytes, 0, at, tutti::detail::copy_baseline));
      CHECK(copies(bytes, at, 0, tutti::detail::copy_by_one_instruction));
      CHECK(copies(bytes, 0, at, tutti::detail::copy_by_one_instruction));
#  if TUTTI_KERNEL_VARIANTS >= 2
      if (tutti::detail::isa_here() != tutti::detail::isa::baseline) {
        CHECK(copies(bytes, at, 0, tutti::detail::copy_avx2));
        CHECK(copies(bytes, 0, at, tutti::detail::copy_avx2));
      }
#  endif
    }
}

TEST_CASE("one instruction copies, but ends close to each other in their pages only where that isn't slow") {
  alignas(4096) static std::byte pages[3 * 4096];
  const auto suits = [](std::size_t from, std::size_t to) {
    return tutti::detail::suits_one_instruction(pages + to, pages + from);
  };
#  if defined(TUTTI_SANITIZED)
  const bool anywhere = false, near_too = false;
#  else
  const double cost = tutti::detail::cost_of_near_ends();
  CHECK(cost > 0);
  CHECK(tutti::detail::cost_of_near_ends() == cost);  // found once
  const bool anywhere = tutti::detail::moves_bytes_at_once(), near_too = anywhere && cost < 2;
#  endif
  for (const std::size_t near : {std::size_t(1), std::size_t(16), std::size_t(63)}) {
    CHECK(suits(near, 4096) == near_too);
    CHECK(suits(4096, near) == near_too);
    CHECK(suits(4096 - near, 0) == near_too);
  }
  for (const std::size_t far : {std::size_t(0), std::size_t(64), std::size_t(1024), std::size_t(4032)})
    CHECK(suits(far, 4096) == anywhere);
}
#endif
