// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "output.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>

namespace mnist {

/// A 64-bit fingerprint of the bits (FNV-1a over words): equal parameters, equal fingerprints; it tells 0.0
/// from -0.0 and one NaN from another.
inline std::uint64_t fingerprint(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3U;
  }
  return hash;
}

/// Throws, naming the first rank that doesn't hold what rank 0 holds.
inline void require_identical(std::span<const std::uint64_t> fingerprints) {
  for (std::size_t rank = 1; rank < fingerprints.size(); ++rank) {
    if (fingerprints[rank] != fingerprints[0]) {
      throw std::runtime_error(format("parameters differ: rank 0 has fingerprint %016llx, rank %zu has %016llx",
                                      static_cast<unsigned long long>(fingerprints[0]), rank,
                                      static_cast<unsigned long long>(fingerprints[rank])));
    }
  }
}

}  // namespace mnist
