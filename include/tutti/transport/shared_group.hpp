// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/layout.hpp>
#include <tutti/transport/memory.hpp>
#include <tutti/transport/region.hpp>
#include <tutti/transport/sleeper.hpp>

#include <cstddef>

namespace tutti::detail {

/// The part of a region that one communicator's ranks share, seen as what lies in it. Knows no rank of its own; copies
/// are cheap and share everything.
class shared_group {
 public:
  using memory = hardware_memory;

  /// wakes: where the world's wake lines lie.
  shared_group(const region& where, int size, std::size_t begin, std::size_t wakes)
      : region_(&where), layout_(size, begin), wakes_(wakes) {}

  int size() const { return layout_.size; }
  const group_layout& places() const { return layout_; }

  /// Which rank of the world a member is.
  std::int32_t& member(int rank) const { return at<std::int32_t>(layout_.members, rank); }
  slot_line& slot(int rank, std::uint64_t operation) const {
    return at<slot_line>(layout_.slots, slot_index(rank, operation));
  }
  call_line& call(int rank, std::uint64_t operation) const {
    return at<call_line>(layout_.calls, slot_index(rank, operation));
  }
  progress_line& progress(int rank) const { return at<progress_line>(layout_.progress, rank); }
  mailbox_sent& sent(int box, int from, int to) const { return at<mailbox_sent>(layout_.sent, pair(box, from, to)); }
  mailbox_taken& taken(int box, int from, int to) const {
    return at<mailbox_taken>(layout_.taken, pair(box, from, to));
  }

  std::size_t letter_offset(int box, int from, int to, std::uint64_t number) const {
    return layout_.letters_begin +
           (std::size_t(pair(box, from, to)) * group_layout::letters + number % group_layout::letters) *
               group_layout::letter_bytes;
  }
  /// Where its pages begin; it lies stage_shift behind that.
  std::size_t stage_offset(int rank, int part) const {
    return layout_.stages + std::size_t(rank) * group_layout::stage_set_bytes() +
           std::size_t(part) * group_layout::stage_room;
  }
  std::byte* bytes_at(std::size_t offset) const { return region_->base() + offset; }

  /// Wakes a member if it sleeps. The caller has published what it waits for.
  void rouse(int rank) const { rouse_rank(*region_, wakes_, member(rank)); }

 private:
  template <class Line>
  Line& at(std::size_t begin, int index) const {
    return *reinterpret_cast<Line*>(region_->base() + begin + std::size_t(index) * sizeof(Line));
  }
  static int slot_index(int rank, std::uint64_t operation) {
    return rank * group_layout::operations + int(operation % group_layout::operations);
  }
  int pair(int box, int from, int to) const { return (box * layout_.size + from) * layout_.size + to; }

  const region* region_;
  group_layout layout_;
  std::size_t wakes_;
};

}  // namespace tutti::detail
