// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The element types, and the value that rank r has at index i. Every value is a formula, so that any rank can
// compute what any other one gave. Sums and products of the floating-point ones are exact in any order.

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace conformance {

/// A hole between its members: what lies there may not matter.
struct padded {
  std::int8_t tag;
  std::int32_t value;
  friend bool operator==(const padded&, const padded&) = default;
  friend padded operator+(const padded& a, const padded& b) {
    return {static_cast<std::int8_t>(a.tag + b.tag), a.value + b.value};
  }
};

/// An array that can be added, of a size that divides no chunk evenly.
template <class Number, std::size_t Length>
struct block_of {
  Number values[Length];
  friend bool operator==(const block_of&, const block_of&) = default;
  friend block_of operator+(const block_of& a, const block_of& b) {
    block_of c;
    for (std::size_t i = 0; i < Length; ++i) c.values[i] = static_cast<Number>(a.values[i] + b.values[i]);
    return c;
  }
};
using bytes_12 = block_of<float, 3>;
using bytes_40 = block_of<double, 5>;
using bytes_3000 = block_of<std::uint32_t, 750>;
static_assert(sizeof(padded) == 8 && sizeof(bytes_12) == 12 && sizeof(bytes_40) == 40 && sizeof(bytes_3000) == 3000);

/// Its product depends on the order.
struct matrix {
  std::uint16_t at[4];
  friend bool operator==(const matrix&, const matrix&) = default;
};

/// x -> a x + b: composition depends on the order.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
};

template <class Type>
inline constexpr const char* label = "?";
template <>
inline constexpr const char* label<std::int8_t> = "int8";
template <>
inline constexpr const char* label<std::uint8_t> = "uint8";
template <>
inline constexpr const char* label<std::int32_t> = "int32";
template <>
inline constexpr const char* label<std::uint32_t> = "uint32";
template <>
inline constexpr const char* label<std::uint64_t> = "uint64";
template <>
inline constexpr const char* label<float> = "float";
template <>
inline constexpr const char* label<double> = "double";
template <>
inline constexpr const char* label<std::complex<float>> = "complex<float>";
template <>
inline constexpr const char* label<padded> = "padded struct";
template <>
inline constexpr const char* label<std::array<int, 3>> = "array<int, 3>";
template <>
inline constexpr const char* label<bytes_12> = "struct of 12 bytes";
template <>
inline constexpr const char* label<bytes_40> = "struct of 40 bytes";
template <>
inline constexpr const char* label<bytes_3000> = "struct of 3000 bytes";
template <>
inline constexpr const char* label<matrix> = "matrix";
template <>
inline constexpr const char* label<affine> = "affine";

/// What the values must survive exactly: sums, or products.
enum class domain { sums, products };

inline std::uint64_t scramble(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x7F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// A value of any type out of random bits.
template <class Type>
Type from_bits(domain where, std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<Type>) {
    constexpr Type factors[] = {1, -1, 2, Type(0.5)};
    return where == domain::sums ? Type(int(bits % 2001) - 1000) : factors[bits % 4];
  } else if constexpr (std::is_same_v<Type, std::int32_t>) {
    constexpr Type factors[] = {1, -1, 2, 3};
    return where == domain::sums ? Type(bits % 2000001) - 1000000 : factors[bits % 4];
  } else if constexpr (std::is_integral_v<Type>) {
    return static_cast<Type>(bits);  // wraps, as it must
  } else if constexpr (std::is_same_v<Type, std::complex<float>>) {
    constexpr float turns[] = {1, 0, -1, 0};  // products of powers of i stay powers of i
    if (where == domain::products) return {turns[bits % 4], turns[(bits + 3) % 4]};
    return {from_bits<float>(where, bits), from_bits<float>(where, bits >> 20)};
  } else if constexpr (std::is_same_v<Type, padded>) {
    return {static_cast<std::int8_t>(bits), from_bits<std::int32_t>(where, bits >> 8)};
  } else if constexpr (std::is_same_v<Type, matrix>) {
    return {{std::uint16_t(bits), std::uint16_t(bits >> 16), std::uint16_t(bits >> 32), std::uint16_t(bits >> 48)}};
  } else if constexpr (std::is_same_v<Type, affine>) {
    return {std::uint32_t(1 + bits % 60000), std::uint32_t((bits >> 32) % 60000)};
  } else if constexpr (std::is_same_v<Type, std::array<int, 3>>) {
    return {from_bits<int>(where, bits), from_bits<int>(where, bits >> 8), from_bits<int>(where, bits >> 16)};
  } else {
    Type made;
    std::uint64_t more = bits;
    for (auto& value : made.values)
      value = from_bits<std::remove_reference_t<decltype(value)>>(where, more = scramble(more, 1));
    return made;
  }
}

/// x[rank][index], and a salt that lets the same call carry other data the next time.
template <class Type>
Type sample(domain where, int rank, std::size_t index, std::uint64_t salt) {
  return from_bits<Type>(where, scramble(salt * 1000 + std::uint64_t(rank), index));
}

}  // namespace conformance
