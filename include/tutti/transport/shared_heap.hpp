// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/layout.hpp>
#include <tutti/transport/memory.hpp>
#include <tutti/transport/region.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// Blocks of a region for communicators and symmetric buffers, of powers of two. Any rank may take one; it belongs to
/// as many holders as the taker says, and the last that lets go gives it back. What came back lies on a stack for each
/// power: a word of {tag, page}, whose tag changes with every step, so that a slow rank can't put back an old head.
class shared_heap {
 public:
  using memory = hardware_memory;

  explicit shared_heap(const region& where) : region_(&where) {}

  /// The offset of so many bytes of zeros on a page border, or 0 where there is no room; errno of the system in `why`.
  std::size_t take(std::size_t bytes, int holders, int& why) const {
    why = 0;
    int power = 13;  // a page of its own before the content
    while (power < 47 && (std::size_t(1) << power) < bytes + page_bytes) ++power;
    if ((std::size_t(1) << power) < bytes + page_bytes) return 0;
    std::size_t block = pop(power);
    if (block == 0) block = grow(std::size_t(1) << power);
    if (block == 0) return 0;
    why = region_->commit(block, page_bytes);
    if (why != 0) return 0;  // its addresses are lost: there is no memory to note them in
    auto& head = header_of(block);
    head.power = std::uint64_t(power);
    memory::publish(head.holders, std::uint64_t(holders));
    return block + page_bytes;
  }

  /// One holder less. The holder has let go of its own pages, or they go with the last one.
  void let_go(std::size_t offset) const {
    const std::size_t block = offset - page_bytes;
    std::atomic_ref<std::uint64_t> holders(header_of(block).holders);
    if (holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const auto power = int(header_of(block).power);
    region_->punch(block, std::size_t(1) << power);
    if (region_->commit(block, page_bytes) == 0) push(power, block);
  }

  /// Never used so far.
  std::size_t left() const { return region_->bytes() - std::size_t(memory::observe(header().heap_top)); }

 private:
  struct block_header {
    std::uint64_t next;  // page of the next block on the stack
    std::uint64_t holders, power;
  };
  static constexpr std::uint64_t page_bits = 32, page_mask = (std::uint64_t(1) << page_bits) - 1;

  region_header& header() const { return *reinterpret_cast<region_header*>(region_->base()); }
  block_header& header_of(std::size_t block) const { return *reinterpret_cast<block_header*>(region_->base() + block); }

  std::size_t grow(std::size_t bytes) const {
    std::atomic_ref<std::uint64_t> top(header().heap_top);
    std::uint64_t begin = top.load(std::memory_order_acquire);
    do {
      if (bytes > region_->bytes() - begin) return 0;
    } while (!top.compare_exchange_weak(begin, begin + bytes, std::memory_order_acq_rel));
    return std::size_t(begin);
  }
  std::size_t pop(int power) const {
    std::atomic_ref<std::uint64_t> head(header().heap_free[power]);
    std::uint64_t seen = head.load(std::memory_order_acquire);
    for (;;) {
      const std::size_t block = std::size_t(seen & page_mask) * page_bytes;
      if (block == 0) return 0;
      // Another rank may have taken it meanwhile; then the tag has changed and this is read for nothing.
      const std::uint64_t next = std::atomic_ref<std::uint64_t>(header_of(block).next).load(std::memory_order_acquire);
      if (head.compare_exchange_weak(seen, tagged(seen, next), std::memory_order_acq_rel)) {
        std::atomic_ref<std::uint64_t>(header_of(block).next).store(0, std::memory_order_release);
        return block;
      }
    }
  }
  void push(int power, std::size_t block) const {
    std::atomic_ref<std::uint64_t> head(header().heap_free[power]);
    std::uint64_t seen = head.load(std::memory_order_acquire);
    do {
      std::atomic_ref<std::uint64_t>(header_of(block).next).store(seen & page_mask, std::memory_order_release);
    } while (!head.compare_exchange_weak(seen, tagged(seen, block / page_bytes), std::memory_order_acq_rel));
  }
  static std::uint64_t tagged(std::uint64_t old, std::uint64_t page) {
    return ((old >> page_bits) + 1) << page_bits | (page & page_mask);
  }

  const region* region_;
};

}  // namespace tutti::detail
