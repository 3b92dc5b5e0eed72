// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>

#include <cstddef>

namespace tutti {

/// A run of elements: [first, first + count).
struct range {
  std::size_t first = 0;
  std::size_t count = 0;
  TUTTI_FUN constexpr std::size_t end() const { return first + count; }
  friend constexpr bool operator==(const range&, const range&) = default;
};

/// Cuts count elements into blocks as evenly as possible: the first count % blocks blocks have one
/// element more. Every count and every number of blocks is legal; blocks may be empty.
class partition {
 public:
  TUTTI_FUN constexpr partition(std::size_t count, int blocks)
      : count_(count), blocks_(blocks), small_(count / std::size_t(blocks)), larger_(count % std::size_t(blocks)) {}

  TUTTI_FUN constexpr std::size_t count() const { return count_; }
  TUTTI_FUN constexpr int blocks() const { return blocks_; }
  /// Elements of the largest block: all ranks cut their chunks by it.
  TUTTI_FUN constexpr std::size_t largest() const { return small_ + (larger_ != 0 ? 1 : 0); }
  TUTTI_FUN constexpr std::size_t first(int block) const {
    const auto index = std::size_t(block);
    return index * small_ + (index < larger_ ? index : larger_);
  }
  TUTTI_FUN constexpr range operator[](int block) const { return span(block, 1); }
  /// The elements of the neighbouring blocks [block, block + n).
  TUTTI_FUN constexpr range span(int block, int n) const {
    const std::size_t begin = first(block);
    return {begin, first(block + n) - begin};
  }

 private:
  std::size_t count_;
  int blocks_;
  std::size_t small_;
  std::size_t larger_;
};

/// The shard of a rank: what reduce_scatter gives it and all_gather takes from it.
TUTTI_FUN constexpr range shard(std::size_t count, int size, int rank) { return partition(count, size)[rank]; }

}  // namespace tutti
