// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/processor_home.hpp>
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
struct arrange_tag {
  static constexpr const char* name = "arrange_by_caches";
};

/// Operations that bring a word of each rank to all. Collective.
template <class Tag>
class exchange_of_words {
 public:
  explicit exchange_of_words(shared_communicator& comm) : comm_(comm) { comm.expect_active(Tag::name); }
  void enter(std::uint64_t word) {
    comm_.drive([&] { return comm_.try_begin(call_, word); });
  }
  /// Of another rank, as soon as it has come.
  std::uint64_t of(int peer) {
    comm_.drive_pending([&] { return comm_.joined(peer) ? progress::done : progress::waiting; });
    return comm_.payload_of(peer);
  }

 private:
  static constexpr auto signature = signature_of<Tag, int, Tag, Tag>();
  shared_communicator& comm_;
  descriptor call_ = describe(signature, 0, sizeof(int), 0, 0);
};

/// Where a new group lies in the region and which of its ranks this process is.
struct membership {
  std::size_t begin = 0;
  int rank = -1, size = 0;
  std::vector<int> colors{};   // of all ranks of the parent
  std::vector<int> parents{};  // the members' ranks there
};

/// Collective over parent: the ranks of one color become a group, in the order of their keys, then of their ranks.
/// A negative color is in no group. Two operations: what everyone wants, where each group lies.
inline membership make_group(shared_communicator& parent, int color, int key) {
  exchange_of_words<split_tag> words(parent);
  struct wish {
    std::int32_t color, key;
  };
  const wish mine{color, key};
  std::uint64_t word;
  std::memcpy(&word, &mine, sizeof word);
  words.enter(word);
  membership group;
  std::vector<int> members, keys;
  for (int peer = 0; peer < parent.size(); ++peer) {
    wish theirs = mine;
    if (peer != parent.rank()) {
      word = words.of(peer);
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
  group.parents = members;
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
  words.enter(group.begin);
  if (group.rank > 0) group.begin = std::size_t(words.of(members[0]));
  if (group.rank >= 0 && group.begin == 0)
    fail(errc::resource, parent.rank(), "split on rank %d: no shared memory for a group of %d ranks: %s", parent.rank(),
         group.size, why != 0 ? std::strerror(why) : "its first rank got none");
  return group;
}

/// Where all ranks stay on this machine. Collective.
inline std::vector<processor_home> homes_of_all(shared_communicator& comm) {
  exchange_of_words<arrange_tag> words(comm);
  const std::uint64_t mine = processor_home::of_this_thread().packed();
  words.enter(mine);
  std::vector<processor_home> homes;
  for (int rank = 0; rank < comm.size(); ++rank)
    homes.push_back(processor_home::unpacked(rank == comm.rank() ? mine : words.of(rank)));
  return homes;
}

/// A rank that shares memory with its peers, of a world or of a part of one.
class shared_member : public shared_communicator {
 public:
  using membership = detail::membership;
  using shared_communicator::shared_communicator;
  ~shared_member() {
    if (made_.begin != 0) world().heap().let_go(made_.begin);
  }

  /// Memory that zero-copy collectives may use. Collective; every rank asks for the same count.
  template <class Element>
  symmetric_buffer<Element> allocate(std::size_t count) {
    return allocate_symmetric<Element>(*this, count);
  }

 protected:
  shared_member(const shared_member& parent, membership&& group)
      : shared_communicator(
            parent, shared_group(parent.world().memory_region(), group.size, group.begin, parent.world().wakes()),
            group.rank),
        made_(std::move(group)) {}

  membership form_group(int color, int key) { return make_group(*this, color, key); }
  std::vector<int> colors_by_cache() { return colors_by_home(homes_of_all(*this)); }
  /// The colors that this communicator was made by: of all ranks of its parent.
  const std::vector<int>& colors_at_birth() const { return made_.colors; }
  /// Its ranks there.
  const std::vector<int>& parents_ranks() const { return made_.parents; }

 private:
  membership made_{};  // of the world: nothing of the heap
};

}  // namespace tutti::detail
