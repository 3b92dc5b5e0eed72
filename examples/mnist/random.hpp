// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that are the same bits with every standard library, compiler and libm, so that every rank
// may draw its own: the engine is fully specified by the standard, its distributions and shuffle aren't.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace mnist {

using random_engine = std::mt19937_64;

/// An engine for one purpose (weights, an epoch's order, ...) of a run.
inline random_engine make_engine(std::uint64_t seed, std::uint64_t purpose) {
  std::uint64_t mixed = seed + 0x9e3779b97f4a7c15U * (purpose + 1);  // splitmix64
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
  return random_engine(mixed ^ mixed >> 31);
}

/// 0 to bound - 1; a bias of bound / 2^32 is far below what a shuffle of images could show.
inline std::uint32_t draw_below(random_engine& engine, std::uint32_t bound) {
  return static_cast<std::uint32_t>((engine() >> 32) * bound >> 32);
}

/// Normal with mean 0 and deviation 1, as the sum of twelve uniforms: no logarithm, only exact sums.
inline float draw_normal(random_engine& engine) {
  std::int32_t sum = 0;
  for (int draw = 0; draw < 3; ++draw) {
    for (std::uint64_t bits = engine(), part = 0; part < 4; ++part, bits >>= 16) {
      sum += static_cast<std::int32_t>(bits & 0xffffU);
    }
  }
  return (static_cast<float>(sum) + 6.0F) / 65536.0F - 6.0F;
}

inline void shuffle(std::span<std::uint32_t> values, random_engine& engine) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[draw_below(engine, static_cast<std::uint32_t>(left))]);
  }
}

}  // namespace mnist
