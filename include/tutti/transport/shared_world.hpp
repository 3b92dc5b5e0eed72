// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/transport/cpus.hpp>
#include <tutti/transport/layout.hpp>
#include <tutti/transport/memory.hpp>
#include <tutti/transport/region.hpp>
#include <tutti/transport/shared_group.hpp>
#include <tutti/transport/shared_heap.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace tutti::detail {

/// The region seen as what all its ranks share. Knows no rank of its own; copies are cheap and share everything.
class shared_world {
 public:
  using memory = hardware_memory;
  static constexpr std::uint64_t magic = 0x6974747574;  // "tutti"
  static constexpr std::uint32_t version = 3;

  shared_world(const region& where, int size)
      : region_(&where), layout_(size), everybody_(where, size, layout_.end, layout_.wake) {}

  /// Commits the control part and writes the header; the maker calls it before it shows the region to anyone.
  void create(std::uint64_t nonce) const {
    if (everybody_.places().end > region_->bytes())
      fail(errc::resource, -1, "tutti: a world of %d ranks needs %zu bytes of address space, but its region has %zu",
           size(), everybody_.places().end, region_->bytes());
    const std::size_t control = everybody_.places().control_end;
    if (const int reason = region_->commit(0, control); reason != 0)
      fail(errc::resource, -1, "tutti: no memory for the %zu control bytes of a world of %d ranks: %s", control, size(),
           std::strerror(reason));
    auto* header = new (region_->base()) region_header{};
    header->nonce = nonce;
    header->version = version;
    header->size = size();
    header->bytes = region_->bytes();
    header->heap_top = round_up(everybody_.places().end, page_bytes);
    for (int rank = 0; rank < size(); ++rank) everybody_.member(rank) = rank;
    // Threads and children run where their maker may; processes that come by themselves say where when they sign in.
    const std::uint64_t cpus = cpu_share::of_this_thread().packed();
    for (int rank = 0; rank < size(); ++rank) status(rank).cpus = cpus;
    memory::publish(header->magic, magic);
  }
  bool made_for(std::uint64_t nonce) const {
    const auto& header = *reinterpret_cast<const region_header*>(region_->base());
    return memory::observe(header.magic) == magic && header.nonce == nonce && header.version == version &&
           header.size == size();
  }

  /// All that a world of so many ranks has beside its heap.
  static constexpr std::size_t bytes(int ranks) { return group_layout(ranks, world_layout(ranks).end).end; }

  int size() const { return everybody_.size(); }
  const region& memory_region() const { return *region_; }
  const shared_group& everybody() const { return everybody_; }
  /// Where the wake lines lie.
  std::size_t wakes() const { return layout_.wake; }
  shared_heap heap() const { return shared_heap(*region_); }

  failure_line& failure() const { return *reinterpret_cast<failure_line*>(region_->base() + layout_.failure); }
  status_line& status(int rank) const {
    return *reinterpret_cast<status_line*>(region_->base() + layout_.status + std::size_t(rank) * sizeof(status_line));
  }

  /// How many processors the ranks have together, for a launcher may have given each of them its own. All find the
  /// same.
  int processors() const {
    int all = 0, quota = 0xffff;
    for (int rank = 0; rank < size(); ++rank) {
      const cpu_share share = cpu_share::unpacked(status(rank).cpus);
      if (share.quota < quota) quota = share.quota;
      int other = 0;  // who may run on other ones isn't told from who may run on the same but by the first
      while (other < rank && cpu_share::unpacked(status(other).cpus).first != share.first) ++other;
      if (other == rank) all += share.count;
    }
    return all < quota ? all : quota;
  }

  void rouse_all() const {
    for (int rank = 0; rank < size(); ++rank) rouse_rank(*region_, layout_.wake, rank);
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
  /// Somebody has claimed it; it is published soon, or its process dies.
  bool tells_failure() const { return memory::observe(failure().claimed) != 0; }
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
  const region* region_;
  world_layout layout_;
  shared_group everybody_;
};

}  // namespace tutti::detail
