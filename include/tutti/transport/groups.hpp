// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/buffer.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/shared_communicator.hpp>
#include <tutti/transport/symmetric_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace tutti::detail {

struct split_tag {
  static constexpr const char* name = "split";
};

/// Where a new group lies in the region and which of its ranks this process is.
struct membership {
  std::size_t begin = 0;
  int rank = -1, size = 0;
  std::vector<int> colors{};  // of all ranks of the parent
};

/// Collective over parent: the ranks of one color become a group, in the order of their keys, then of their ranks.
/// A negative color is in no group. Two operations: what everyone wants, where each group lies.
inline membership make_group(shared_communicator& parent, int color, int key) {
  parent.expect_active("split");
  static constexpr auto call = signature_of<split_tag, int, split_tag, split_tag>();
  const descriptor described = describe(call, 0, sizeof(int), 0, 0);
  struct wish {
    std::int32_t color, key;
  };
  const auto enter = [&](std::uint64_t word) { parent.drive([&] { return parent.try_begin(described, word); }); };
  const auto word_of = [&](int peer) {
    parent.drive_pending([&] { return parent.joined(peer) ? progress::done : progress::waiting; });
    return parent.payload_of(peer);
  };

  const wish mine{color, key};
  std::uint64_t word;
  std::memcpy(&word, &mine, sizeof word);
  enter(word);
  membership group;
  std::vector<int> members, keys;
  for (int peer = 0; peer < parent.size(); ++peer) {
    wish theirs = mine;
    if (peer != parent.rank()) {
      word = word_of(peer);
      std::memcpy(&theirs, &word, sizeof theirs);
    }
    group.colors.push_back(theirs.color);
    if (color < 0 || theirs.color != color) continue;
    std::size_t place = members.size();
    while (place > 0 && keys[place - 1] > theirs.key) --place;
    members.insert(members.begin() + std::ptrdiff_t(place), peer);
    keys.insert(keys.begin() + std::ptrdiff_t(place), theirs.key);
  }

  group.size = int(members.size());
  for (int rank = 0; rank < group.size; ++rank)
    if (members[std::size_t(rank)] == parent.rank()) group.rank = rank;
  const auto& world = parent.world();
  int why = 0;
  if (group.rank == 0) {
    group.begin = world.heap().take(group_layout(group.size, 0).bytes(), group.size, why);
    if (group.begin != 0) why = world.memory_region().commit(group.begin, group_layout(group.size, 0).control_bytes());
    if (why == 0 && group.begin != 0)
      for (int rank = 0; rank < group.size; ++rank)
        shared_group(world.memory_region(), group.size, group.begin, world.wakes()).member(rank) =
            parent.world_rank(members[std::size_t(rank)]);
    else
      group.begin = 0;
  }
  enter(group.begin);
  if (group.rank > 0) group.begin = std::size_t(word_of(members[0]));
  if (group.rank >= 0 && group.begin == 0)
    fail(errc::resource, parent.rank(), "split on rank %d: no shared memory for a group of %d ranks: %s", parent.rank(),
         group.size, why != 0 ? std::strerror(why) : "its first rank got none");
  return group;
}

/// What the communicators of threads and shm have beside the protocol: memory and smaller groups. Derived can be made
/// from (parent, membership).
template <class Derived>
class grouping : public shared_communicator {
 public:
  using shared_communicator::shared_communicator;
  ~grouping() {
    for (const levels& set : {shown_, hidden_}) {
      delete set.lanes;
      delete set.leaders;
      delete set.node;
    }
    if (made_.begin != 0) world().heap().let_go(made_.begin);
  }

  /// Memory that zero-copy collectives may use. Collective; every rank asks for the same count.
  template <class Element>
  symmetric_buffer<Element> allocate(std::size_t count) {
    return allocate_symmetric<Element>(*this, count);
  }

  /// Ranks of one color become a communicator of their own, numbered by key, then by rank. With a negative color this
  /// process is in none: it gets one that is not active. Collective over this communicator, which must outlive the new.
  Derived split(int color, int key) { return Derived(self(), make_group(*this, color, key)); }
  Derived split(int color) { return split(color, rank()); }
  /// The same ranks once more, with operations of their own: for another thread, or for requests that run side by side.
  Derived duplicate() { return split(0, rank()); }
  /// These ranks, in this order; not active on the others. Collective over all, with the same list on all.
  template <contiguous_range Ranks>
  Derived subgroup(Ranks&& ranks) {
    expect_active("subgroup");
    const auto list = read_view(ranks);
    int color = -1, key = 0;
    for (std::size_t i = 0; i < list.count; ++i) {
      const auto one = int(list.data[i]);
      if (one < 0 || one >= size())
        fail(errc::bad_argument, rank(),
             "subgroup on rank %d: rank %d is listed, expected at least 0 and below the size %d", rank(), one, size());
      if (one != rank()) continue;
      if (color == 0) fail(errc::bad_argument, rank(), "subgroup on rank %d: rank %d is listed twice", rank(), one);
      color = 0;
      key = int(i);
    }
    return split(color, key);
  }

  // ---- near and far -----------------------------------------------------------------------------------

  /// Says which ranks are near each other: those of one color. Before, all are, being on one host. Collective, before
  /// the first use of node(), leaders() or lanes().
  void arrange(int color) {
    if (shown_.node != nullptr || hidden_.node != nullptr)
      fail(errc::bad_argument, rank(), "arrange on rank %d: the groups are in use already", rank());
    color_ = color;
  }
  /// The ranks near this one. The first call is collective over this communicator; so with the next two.
  Derived& node() { return node(shown_); }
  /// The first rank of each node; not active on the others.
  Derived& leaders() { return leaders(shown_); }
  /// The ranks that have the same number in their nodes.
  Derived& lanes() { return lanes(shown_); }

  /// The same groups once more, for algorithms: nobody else's operations come between theirs.
  Derived& inner_node() { return node(hidden_); }
  Derived& inner_leaders() { return leaders(hidden_); }
  Derived& inner_lanes() { return lanes(hidden_); }
  /// The color of every rank: what tells the nodes apart.
  const std::vector<int>& node_colors() { return node(hidden_).made_.colors; }

 protected:
  grouping(const grouping& parent, membership&& group)
      : shared_communicator(
            parent, shared_group(parent.world().memory_region(), group.size, group.begin, parent.world().wakes()),
            group.rank),
        made_(std::move(group)) {}

 private:
  struct levels {
    Derived *node = nullptr, *leaders = nullptr, *lanes = nullptr;
  };
  Derived& self() { return static_cast<Derived&>(*this); }
  Derived& make(Derived*& one, int color) {
    if (one == nullptr) one = new Derived(self(), make_group(*this, color, rank()));
    return *one;
  }
  Derived& node(levels& set) { return make(set.node, color_); }
  Derived& leaders(levels& set) {
    const bool leads = node(set).rank() == 0;
    return make(set.leaders, leads ? 0 : -1);
  }
  Derived& lanes(levels& set) {
    const int lane = node(set).rank();
    return make(set.lanes, lane);
  }

  membership made_{};  // of the world: nothing of the heap
  int color_ = 0;
  levels shown_, hidden_;
};

}  // namespace tutti::detail
