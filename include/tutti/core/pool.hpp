// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/held_mutex.hpp>

#include <cstddef>
#include <new>
#include <utility>

#include <pthread.h>

namespace tutti::detail {

/// Memory for what outlives a call: requests, tables of blocks. What comes back is given out again, so that a program
/// that repeats its calls allocates in the first round only. A rank's threads may use it at the same time: while one
/// records a call, one that helps runs another, on this communicator or on one that this is a part of.
class pool {
 public:
  pool() = default;
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  ~pool() {
    while (free_ != nullptr) {
      block* next = free_->next;
      ::operator delete(free_, alignment);
      free_ = next;
    }
  }

  void* take(std::size_t bytes) {
    if (block* found = take_free(bytes)) return found + 1;
    block* fresh = static_cast<block*>(::operator new(sizeof(block) + bytes, alignment));
    fresh->bytes = bytes;
    return fresh + 1;
  }
  void give_back(void* memory) {
    block* one = static_cast<block*>(memory) - 1;
    const held_mutex mine(&mutex_);
    one->next = free_;
    free_ = one;
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct alignas(64) block {
    block* next;
    std::size_t bytes;
  };

  block* take_free(std::size_t bytes) {
    const held_mutex mine(&mutex_);
    block** best = nullptr;  // the smallest that is large enough: others may need the larger ones
    for (block** link = &free_; *link != nullptr; link = &(*link)->next)
      if ((*link)->bytes >= bytes && (best == nullptr || (*link)->bytes < (*best)->bytes)) best = link;
    if (best == nullptr || (*best)->bytes > 4 * bytes + 1024) return nullptr;
    block* found = *best;
    *best = found->next;
    return found;
  }

  block* free_ = nullptr;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// An array of trivial elements in a pool.
template <class Element>
class pooled_array {
 public:
  pooled_array() = default;
  pooled_array(pool& from, std::size_t count)
      : from_(&from), data_(static_cast<Element*>(from.take(count * sizeof(Element)))), count_(count) {
    if constexpr (sizeof(Element) > 1)  // bytes are scratch
      for (std::size_t i = 0; i < count; ++i) new (data_ + i) Element{};
  }
  pooled_array(pooled_array&& other) noexcept
      : from_(other.from_), data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  pooled_array& operator=(pooled_array&& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~pooled_array() {
    if (data_ != nullptr) from_->give_back(data_);
  }

  bool empty() const { return data_ == nullptr; }
  std::size_t size() const { return count_; }
  Element* data() const { return data_; }
  Element& operator[](std::size_t i) const { return data_[i]; }

 private:
  pool* from_ = nullptr;
  Element* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace tutti::detail
