// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/buffer.hpp>
#include <tutti/core/error.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

namespace tutti::detail {

/// Smaller groups of a communicator's ranks. Base is a communicator that can form_group(color, key), which is
/// collective; Derived can be made from (parent, what came of that).
template <class Derived, class Base>
class grouping : public Base {
 public:
  using Base::Base;
  using Base::rank, Base::size, Base::expect_active;
  using typename Base::membership;
  ~grouping() {
    shown_.drop();
    hidden_.drop();
    for (levels& set : retired_) set.drop();
  }

  /// Ranks of one color become a communicator of their own, numbered by key, then by rank. With a negative color this
  /// process is in none: it gets one that is not active. Collective over this communicator, which must outlive the new.
  Derived split(int color, int key) { return Derived(self(), this->form_group(color, key)); }
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

  /// Says which ranks are near each other: those of one color. Before, those of one host are. Collective, before
  /// the first use of node(), leaders() or lanes().
  void arrange(int color) {
    if (shown_.node != nullptr)
      fail(errc::bad_argument, rank(), "arrange on rank %d: the groups are in use already", rank());
    color_ = color;
    if (hidden_.node == nullptr) return;
    retired_.push_back(hidden_);  // what is pending, or planned, may run on them
    hidden_ = {};
    make_levels();
  }
  /// Says that those ranks are near each other whose threads are bound to processors of one last-level cache or, where
  /// that tells no two ranks apart or all, of one memory node, as the system says. Makes the groups, for
  /// automatic_by_levels. False where neither helps, as for ranks that are not bound: then nothing changes. Collective,
  /// before the first use of node(), leaders() or lanes(). Where ranks share memory.
  bool arrange_by_caches() requires requires(grouping& self) { self.colors_by_cache(); }
  {
    const std::vector<int> colors = this->colors_by_cache();
    if (colors.empty()) return false;
    arrange(colors[std::size_t(rank())]);
    if (hidden_.node == nullptr) make_levels();
    return true;
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
  const std::vector<int>& node_colors() { return node(hidden_).colors_at_birth(); }
  /// The same, or null where these groups have not been made yet.
  const std::vector<int>* known_node_colors() const {
    return hidden_.node == nullptr ? nullptr : &hidden_.node->colors_at_birth();
  }

 protected:
  template <std::derived_from<grouping> Parent>
  grouping(Parent& parent, membership&& group) : Base(parent, static_cast<membership&&>(group)) {}

  /// Makes the groups of algorithms before one asks for them, which then has to wait for nobody. Collective.
  void make_levels() {
    leaders(hidden_);
    lanes(hidden_);
  }

 private:
  struct levels {
    Derived *node = nullptr, *leaders = nullptr, *lanes = nullptr;
    void drop() {
      delete lanes;
      delete leaders;
      delete node;
      *this = {};
    }
  };
  Derived& self() { return static_cast<Derived&>(*this); }
  Derived& make(Derived*& one, int color, bool for_algorithms) {
    if (one != nullptr) return *one;
    one = new Derived(self(), this->form_group(color, rank()));
    if (for_algorithms && one->active()) one->name_ranks(std::vector<int>(one->parents_ranks()));
    return *one;
  }
  Derived& node(levels& set) { return make(set.node, color_, &set == &hidden_); }
  Derived& leaders(levels& set) {
    const bool leads = node(set).rank() == 0;
    return make(set.leaders, leads ? 0 : -1, &set == &hidden_);
  }
  Derived& lanes(levels& set) {
    const int lane = node(set).rank();
    return make(set.lanes, lane, &set == &hidden_);
  }

  int color_ = 0;
  levels shown_, hidden_;
  std::vector<levels> retired_;
};

}  // namespace tutti::detail
