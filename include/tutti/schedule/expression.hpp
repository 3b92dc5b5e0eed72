// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// A growing array that works while compiling, also with Clang 14, where std::vector doesn't yet.
template <class Element>
class growing {
 public:
  constexpr growing() = default;
  constexpr growing(std::size_t count, const Element& value) {
    for (std::size_t i = 0; i < count; ++i) push_back(value);
  }
  growing(const growing&) = delete;
  growing& operator=(const growing&) = delete;
  constexpr ~growing() { delete[] data_; }

  constexpr void push_back(const Element& value) {
    if (size_ == capacity_) grow(capacity_ == 0 ? 16 : 2 * capacity_);
    data_[size_++] = value;
  }
  constexpr void assign(std::size_t count, const Element& value) {
    size_ = 0;
    for (std::size_t i = 0; i < count; ++i) push_back(value);
  }
  constexpr void clear() { size_ = 0; }
  constexpr std::size_t size() const { return size_; }
  constexpr Element& operator[](std::size_t i) { return data_[i]; }
  constexpr const Element& operator[](std::size_t i) const { return data_[i]; }

 private:
  constexpr void grow(std::size_t capacity) {
    Element* larger = new Element[capacity]{};
    for (std::size_t i = 0; i < size_; ++i) larger[i] = data_[i];
    delete[] data_;
    data_ = larger;
    capacity_ = capacity;
  }
  Element* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// All expressions that a schedule builds, each one once: equal expressions have equal numbers, so that
/// "all ranks evaluate the same tree" is a comparison of ints. Expression r < size is rank r's own value.
class expressions {
 public:
  static constexpr int none = -1;   // no value
  static constexpr int twice = -2;  // a contribution would be counted twice

  constexpr explicit expressions(int size) : words_((std::size_t(size) + 63) / 64), buckets_(64, none) {
    for (int rank = 0; rank < size; ++rank) {
      nodes_.push_back({none, none, rank, rank, 1, true});
      for (std::size_t w = 0; w < words_; ++w)
        members_.push_back(std::size_t(rank) / 64 == w ? std::uint64_t(1) << (rank % 64) : 0);
    }
  }

  constexpr int combine(int left, int right) {
    std::size_t slot = find(left, right);
    if (buckets_[slot] != none) return buckets_[slot];
    for (std::size_t w = 0; w < words_; ++w)
      if ((member(left, w) & member(right, w)) != 0) return twice;
    const node a = nodes_[std::size_t(left)], b = nodes_[std::size_t(right)];
    const int fresh = int(nodes_.size());
    nodes_.push_back({left, right, a.lowest < b.lowest ? a.lowest : b.lowest,
                      a.highest > b.highest ? a.highest : b.highest, a.count + b.count,
                      a.ascending && b.ascending && a.highest + 1 == b.lowest});
    for (std::size_t w = 0; w < words_; ++w) members_.push_back(member(left, w) | member(right, w));
    buckets_[slot] = fresh;
    if (2 * nodes_.size() > buckets_.size()) rehash();
    return fresh;
  }
  /// How many ranks contribute.
  constexpr int count(int expression) const { return nodes_[std::size_t(expression)].count; }
  /// The contributing ranks are 0, 1, ... without a gap, in whatever order.
  constexpr bool from_rank_zero(int expression) const {
    const node& one = nodes_[std::size_t(expression)];
    return one.lowest == 0 && one.highest + 1 == one.count;
  }
  /// The ranks contribute in ascending order without a gap, however the tree is bracketed.
  constexpr bool ascending(int expression) const { return nodes_[std::size_t(expression)].ascending; }

 private:
  struct node {
    int left, right, lowest, highest, count;
    bool ascending;
  };
  constexpr std::uint64_t member(int expression, std::size_t word) const {
    return members_[std::size_t(expression) * words_ + word];
  }
  constexpr std::size_t find(int left, int right) const {
    const std::uint64_t key = (std::uint64_t(std::uint32_t(left)) << 32) | std::uint32_t(right);
    std::size_t slot = std::size_t((key * 0x9E3779B97F4A7C15u) >> 20) & (buckets_.size() - 1);
    while (buckets_[slot] != none) {
      const node& seen = nodes_[std::size_t(buckets_[slot])];
      if (seen.left == left && seen.right == right) break;
      slot = (slot + 1) & (buckets_.size() - 1);
    }
    return slot;
  }
  constexpr void rehash() {
    buckets_.assign(2 * buckets_.size(), none);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].left != none) buckets_[find(nodes_[i].left, nodes_[i].right)] = int(i);
  }
  std::size_t words_;
  growing<node> nodes_;
  growing<std::uint64_t> members_;
  growing<int> buckets_;
};

}  // namespace tutti::detail
