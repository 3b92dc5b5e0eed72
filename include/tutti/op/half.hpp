// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <cstdint>
#include <type_traits>

namespace tutti {

// Storage types of 16 bits. Arithmetic happens in float: the operators of tutti lift them, fold in float and
// round once, to the nearest with ties to even.

/// The upper half of a float: 8 bits of exponent, 7 of fraction.
struct bfloat16 {
  std::uint16_t bits = 0;

  constexpr bfloat16() = default;
  TUTTI_FUN constexpr bfloat16(float value) {
    const auto whole = __builtin_bit_cast(std::uint32_t, value);
    if ((whole & 0x7fffffffu) > 0x7f800000u)
      bits = std::uint16_t((whole >> 16) | 0x40u);  // NaN stays one
    else
      bits = std::uint16_t((whole + 0x7fffu + ((whole >> 16) & 1u)) >> 16);
  }
  TUTTI_FUN constexpr operator float() const { return __builtin_bit_cast(float, std::uint32_t(bits) << 16); }
};

/// IEEE binary16: 5 bits of exponent, 10 of fraction.
struct float16 {
  std::uint16_t bits = 0;

  constexpr float16() = default;
  TUTTI_FUN constexpr float16(float value) : bits(rounded(__builtin_bit_cast(std::uint32_t, value))) {}
  TUTTI_FUN constexpr operator float() const {
    const std::uint32_t sign = std::uint32_t(bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u,
                        fraction = bits & 1023u;
    if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | (fraction << 13));
    if (exponent != 0) return __builtin_bit_cast(float, sign | ((exponent + 112) << 23) | (fraction << 13));
    const float small = float(fraction) * 0x1p-24f;  // exact: subnormals are multiples of 2^-24
    return sign != 0 ? -small : small;
  }

 private:
  TUTTI_FUN static constexpr std::uint16_t rounded(std::uint32_t whole) {
    const std::uint32_t sign = (whole >> 16) & 0x8000u, magnitude = whole & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return std::uint16_t(sign | 0x7e00u | ((magnitude >> 13) & 1023u));
    if (magnitude >= 0x47800000u) return std::uint16_t(sign | 0x7c00u);  // 65536 and up, infinity
    if (magnitude >= 0x38800000u) {                                      // normal: from 2^-14 on
      const std::uint32_t moved = magnitude - 0x38000000u;
      return std::uint16_t(sign | ((moved + 0xfffu + ((moved >> 13) & 1u)) >> 13));
    }
    if (magnitude < 0x33000000u) return std::uint16_t(sign);  // below half of the smallest
    const std::uint32_t exponent = magnitude >> 23, mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const std::uint32_t shift = 126 - exponent;  // what is left of the mantissa counts 2^-24
    const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
    return std::uint16_t(sign | (kept + ((rest > half || (rest == half && (kept & 1u) != 0)) ? 1u : 0u)));
  }
};

namespace detail {
/// Types that fold in float; CUDA's own are among them, see engine/device/cuda_half.hpp.
template <class Value>
inline constexpr bool folds_in_float = std::is_same_v<Value, bfloat16> || std::is_same_v<Value, float16>;
template <class Value>
concept narrow_float = folds_in_float<Value>;
}  // namespace detail

}  // namespace tutti
