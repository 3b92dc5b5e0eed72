// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// float16 and bfloat16: every value survives the way through float; every float goes to its nearest neighbour, ties
// to the even one. The oracle compares distances, it doesn't round.
#include <tutti/op/half.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace {

template <class Half>
Half from_bits(unsigned bits) {
  Half value;
  value.bits = std::uint16_t(bits);
  return value;
}

template <class Half>
void expect_nearest(float exact, float first_to_overflow) {
  const Half found(exact);
  const float there = found;
  if (std::fabs(exact) >= first_to_overflow) {
    REQUIRE(std::isinf(there));
    return;
  }
  REQUIRE(std::isfinite(there));
  REQUIRE(std::signbit(there) == std::signbit(exact));
  const double missed = std::fabs(double(there) - double(exact));
  const unsigned magnitude = found.bits & 0x7fffu;
  for (const unsigned next : {magnitude - 1, magnitude + 1}) {
    if (next > 0x7fffu) continue;  // below zero
    const float other = std::copysign(float(from_bits<Half>(next)), exact);
    if (!std::isfinite(other)) continue;
    const double otherwise = std::fabs(double(other) - double(exact));
    REQUIRE(missed <= otherwise);
    if (missed == otherwise) REQUIRE(found.bits % 2 == 0);
  }
}

template <class Half>
void expect_sound(float first_to_overflow) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const Half value = from_bits<Half>(bits);
    const float wide = value;
    if (std::isnan(wide))
      REQUIRE(std::isnan(float(Half(wide))));
    else
      REQUIRE(Half(wide).bits == bits);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 300000; ++i) {
    const float exact = std::bit_cast<float>(std::uint32_t(random()));
    if (!std::isnan(exact)) expect_nearest<Half>(exact, first_to_overflow);
    expect_nearest<Half>(std::ldexp(float(random() % 4096) / 4096, int(random() % 40) - 27), first_to_overflow);
  }
  // Half way between neighbours, and just beside it.
  for (unsigned bits = 0; bits < 0x7c00u - 1; bits += 13) {
    const float low = from_bits<Half>(bits), high = from_bits<Half>(bits + 1);
    const float middle = low + (high - low) / 2;
    for (const float exact : {middle, std::nextafter(middle, low), std::nextafter(middle, high), -middle})
      expect_nearest<Half>(exact, first_to_overflow);
  }
}

}  // namespace

TEST_CASE("float16 rounds to nearest, ties to even") { expect_sound<tutti::float16>(65520.0f); }
TEST_CASE("bfloat16 rounds to nearest, ties to even") {
  expect_sound<tutti::bfloat16>(std::bit_cast<float>(0x7f7f8000u));
}
TEST_CASE("known values") {
  CHECK(tutti::float16(1.0f).bits == 0x3c00);
  CHECK(tutti::float16(-2.0f).bits == 0xc000);
  CHECK(tutti::float16(0x1p-24f).bits == 1);
  CHECK(tutti::float16(0x1p-25f).bits == 0);
  CHECK(tutti::float16(65504.0f).bits == 0x7bff);
  CHECK(tutti::bfloat16(1.0f).bits == 0x3f80);
  CHECK(float(tutti::bfloat16(3.140625f)) == 3.140625f);
}
