// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The element types and their values: every value is a formula, so that any rank can compute what any other one gave.

#include <tutti/op/half.hpp>
#include <tutti/op/location.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace conformance {

/// A user's struct of any length.
template <class Number, std::size_t Length>
struct row_of {
  Number at[Length];
};
using bytes_3 = row_of<std::uint8_t, 3>;
using bytes_20 = row_of<std::int32_t, 5>;
using bytes_256 = row_of<std::int32_t, 64>;  // too wide for packs: it goes by messages
static_assert(sizeof(bytes_3) == 3 && sizeof(bytes_20) == 20 && sizeof(bytes_256) == 256);

/// Two by two; its product depends on the order.
struct matrix {
  std::uint32_t at[4];
};

template <class Type>
inline constexpr const char* label = "?";
template <>
inline constexpr const char* label<float> = "float";
template <>
inline constexpr const char* label<double> = "double";
template <>
inline constexpr const char* label<tutti::float16> = "float16";
template <>
inline constexpr const char* label<tutti::bfloat16> = "bfloat16";
template <>
inline constexpr const char* label<std::int8_t> = "int8";
template <>
inline constexpr const char* label<std::uint8_t> = "uint8";
template <>
inline constexpr const char* label<std::int32_t> = "int32";
template <>
inline constexpr const char* label<std::uint32_t> = "uint32";
template <>
inline constexpr const char* label<std::int64_t> = "int64";
template <>
inline constexpr const char* label<std::uint64_t> = "uint64";
template <>
inline constexpr const char* label<bytes_3> = "struct of 3 bytes";
template <>
inline constexpr const char* label<bytes_20> = "struct of 20 bytes";
template <>
inline constexpr const char* label<bytes_256> = "struct of 256 bytes";
template <>
inline constexpr const char* label<matrix> = "matrix of 16 bytes";
template <>
inline constexpr const char* label<tutti::located<float>> = "located<float>";

inline std::uint64_t scramble(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x7F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
inline std::uint64_t chance(int rank, std::size_t index, std::uint64_t salt) {
  return scramble(salt * 64 + std::uint64_t(rank), index);
}

/// A number that sums exactly in any order, over as many ranks as there are GPUs, in every type.
inline int small_number(int rank, std::size_t index, std::uint64_t salt) {
  return int(chance(rank, index, salt) % 9) - 4;
}

/// A whole number below 2^8 as any type, by its bits where the language doesn't know the type.
template <class Type>
Type as_type(long number) {
  if constexpr (std::is_arithmetic_v<Type>) {
    return static_cast<Type>(number);  // unsigned types wrap, as sums of them do
  } else {
    Type made;
    const auto bits = std::bit_cast<std::uint32_t>(float(number));
    if constexpr (std::is_same_v<Type, tutti::bfloat16>)
      made.bits = std::uint16_t(bits >> 16);
    else if (number == 0)
      made.bits = 0;
    else  // a sign, five bits of exponent with bias 15 for eight with bias 127, ten bits of fraction
      made.bits = std::uint16_t((bits >> 16 & 0x8000u) | (((bits >> 23 & 255u) - 112u) << 10) | (bits >> 13 & 1023u));
    return made;
  }
}

/// Any bits; among them often those that the library marks an empty place with.
template <class Type>
Type any_bits(std::uint64_t seed) {
  Type made;
  unsigned char bytes[sizeof(Type)];
  for (std::size_t i = 0; i < sizeof(Type); i += 4) {
    std::uint64_t word = scramble(seed, i);
    if (word % 5 == 0) word = 0xFFFAFFFAu;
    for (std::size_t j = i; j < i + 4 && j < sizeof(Type); ++j)
      bytes[j] = static_cast<unsigned char>(word >> 8 * (j - i));
  }
  std::memcpy(static_cast<void*>(&made), bytes, sizeof made);
  return made;
}

}  // namespace conformance
