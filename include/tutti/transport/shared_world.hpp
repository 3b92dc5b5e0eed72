// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/transport/layout.hpp>
#include <tutti/transport/memory.hpp>
#include <tutti/transport/region.hpp>
#include <tutti/transport/sleep.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace tutti::detail {

/// The region seen as what lies in it. Knows no rank of its own; copies are cheap and share everything.
class shared_world {
 public:
  using memory = hardware_memory;
  static constexpr std::uint64_t magic = 0x6974747574;  // "tutti"
  static constexpr std::uint32_t version = 1;

  shared_world(const region& where, int size) : region_(&where), layout_(size, where.bytes()) {}

  /// Commits the control part and writes the header; the maker calls it before it shows the region to anyone.
  void create(std::uint64_t nonce) const {
    if (const int reason = region_->commit(0, layout_.control_end); reason != 0)
      fail(errc::resource, -1, "tutti: no memory for the %zu control bytes of a world of %d ranks: %s",
           layout_.control_end, layout_.size, std::strerror(reason));
    auto* header = new (region_->base()) region_header;
    header->nonce = nonce;
    header->version = version;
    header->size = layout_.size;
    header->bytes = region_->bytes();
    memory::publish(header->magic, magic);
  }
  bool made_for(std::uint64_t nonce) const {
    const auto& header = *reinterpret_cast<const region_header*>(region_->base());
    return memory::observe(header.magic) == magic && header.nonce == nonce && header.version == version &&
           header.size == layout_.size;
  }

  int size() const { return layout_.size; }
  const region& memory_region() const { return *region_; }
  const layout& places() const { return layout_; }

  failure_line& failure() const { return at<failure_line>(layout_.failure, 0); }
  status_line& status(int rank) const { return at<status_line>(layout_.status, rank); }
  slot_line& slot(int rank, std::uint64_t operation) const {
    return at<slot_line>(layout_.slots, slot_index(rank, operation));
  }
  call_line& call(int rank, std::uint64_t operation) const {
    return at<call_line>(layout_.calls, slot_index(rank, operation));
  }
  progress_line& progress(int rank) const { return at<progress_line>(layout_.progress, rank); }
  wake_line& wake(int rank) const { return at<wake_line>(layout_.wake, rank); }
  mailbox_sent& sent(int from, int to) const { return at<mailbox_sent>(layout_.sent, from * layout_.size + to); }
  mailbox_taken& taken(int from, int to) const { return at<mailbox_taken>(layout_.taken, from * layout_.size + to); }

  std::size_t letter_offset(int from, int to, std::uint64_t number) const {
    const auto box = std::size_t(from) * std::size_t(layout_.size) + std::size_t(to);
    return layout_.letters_begin + (box * layout::letters + number % layout::letters) * layout::letter_bytes;
  }
  std::size_t stage_offset(int rank, int part) const {
    return layout_.stages + std::size_t(rank) * layout::stage_set_bytes() + std::size_t(part) * layout::stage_bytes;
  }
  std::byte* bytes_at(std::size_t offset) const { return region_->base() + offset; }

  /// Wakes a rank if it sleeps. The caller has published in order what the rank waits for.
  void rouse(int rank) const {
    wake_line& there = wake(rank);
    if (memory::observe_ordered(there.asleep) == 0) return;
    std::atomic_ref<std::uint32_t>(there.word).fetch_add(1, std::memory_order_acq_rel);
    futex_wake(&there.word);
  }
  void rouse_all() const {
    for (int rank = 0; rank < layout_.size; ++rank) rouse(rank);
  }

  /// Records the first failure of the world, for everyone to see; later ones are lost on purpose.
  void record_failure(errc code, int rank, const char* text) const {
    failure_line& line = failure();
    if (!memory::claim(line.claimed, std::uint64_t(getpid()))) return;
    line.rank = rank;
    std::snprintf(line.text, sizeof line.text, "%s", text);
    memory::publish_ordered(line.published, 1 + std::uint64_t(code));
    rouse_all();
  }
  /// A process that died between claiming the failure and publishing it must not keep others from it.
  void drop_claim_of(pid_t dead) const {
    failure_line& line = failure();
    if (memory::observe(line.published) == 0) memory::claim(line.claimed, 0, std::uint64_t(dead));
  }
  void set_state(int rank, rank_state state) const {
    memory::publish_ordered(status(rank).state, std::uint64_t(state));
    rouse_all();
  }

 private:
  template <class Line>
  Line& at(std::size_t begin, int index) const {
    return *reinterpret_cast<Line*>(region_->base() + begin + std::size_t(index) * sizeof(Line));
  }
  static int slot_index(int rank, std::uint64_t operation) {
    return rank * layout::operations + int(operation % layout::operations);
  }
  const region* region_;
  layout layout_;
};

}  // namespace tutti::detail
