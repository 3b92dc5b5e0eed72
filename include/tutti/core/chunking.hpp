// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <concepts>
#include <cstddef>

namespace tutti {

inline constexpr std::size_t KiB = std::size_t(1) << 10;
inline constexpr std::size_t MiB = std::size_t(1) << 20;
inline constexpr std::size_t GiB = std::size_t(1) << 30;

/// A chunking policy says how many elements of a block travel in one message. Chunk c of one round runs
/// beside chunk c-1 of the next, so chunks buy overlap and pay latency. A chunk is never under one element.
template <class Policy>
concept chunking_policy = requires(std::size_t n) {
  typename Policy::tutti_chunking;
  { Policy::elements(n, n) } -> std::same_as<std::size_t>;
};

/// Each block travels whole.
struct whole {
  using tutti_chunking = whole;
  TUTTI_FUN static constexpr std::size_t elements(std::size_t block, std::size_t) { return block == 0 ? 1 : block; }
};

/// Chunks of at most Bytes; the last one of a block is the short one.
template <std::size_t Bytes>
struct chunked {
  static_assert(Bytes > 0, "tutti: chunked<Bytes> needs at least one byte");
  using tutti_chunking = chunked;
  TUTTI_FUN static constexpr std::size_t elements(std::size_t, std::size_t element_bytes) {
    return Bytes < element_bytes ? 1 : Bytes / element_bytes;
  }
};

/// Chunks of at most Bytes, all of nearly the same length, so that no rank waits for a stump.
template <std::size_t Bytes>
struct uniform {
  using tutti_chunking = uniform;
  TUTTI_FUN static constexpr std::size_t elements(std::size_t block, std::size_t element_bytes) {
    const std::size_t most = chunked<Bytes>::elements(block, element_bytes);
    const std::size_t pieces = block == 0 ? 1 : (block + most - 1) / most;
    return block == 0 ? 1 : (block + pieces - 1) / pieces;
  }
};

/// Each block in Depth chunks, whatever its length.
template <std::size_t Depth>
struct pipelined {
  static_assert(Depth > 0, "tutti: pipelined<Depth> needs at least one chunk");
  using tutti_chunking = pipelined;
  TUTTI_FUN static constexpr std::size_t elements(std::size_t block, std::size_t) {
    return block == 0 ? 1 : (block + Depth - 1) / Depth;
  }
};

/// Chunks of 128 KiB: several of them fit into a core's second-level cache. Where a transport takes messages straight
/// from memory, 512 KiB.
using default_chunking = chunked<128 * KiB>;

}  // namespace tutti
