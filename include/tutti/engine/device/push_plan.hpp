// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/shared_plan.hpp>
#include <tutti/engine/device/push.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/obligation.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutti::detail {

/// A shared_plan as pushes: what is staged for others to read goes to those who read it. A plan that folds own blocks
/// and reads them hands its results on; so does a broadcast of much, in which the root gives every rank a block to hand
/// on, as else all would leave through its links.
template <class Collective, shared_plan Plan, class Element, class Storage>
class push_plan {
 public:
  static constexpr bool reduces = Plan.fold != folds::nothing;
  static constexpr bool may_spread = Plan.stage == stages::at_root;
  static constexpr bool hands_on = (Plan.fold == folds::own_block && Plan.read != reads::nothing) || may_spread;
  /// Blocks that the vector is cut into. A broadcast is cut in any case: who hands nothing on gets all of them.
  static constexpr bool cut_by_ranks = Plan.fold == folds::own_block || Plan.stage == stages::own_block ||
                                       Plan.stage == stages::all_blocks || Plan.stage == stages::blocks_at_root;
  static constexpr std::size_t spread_bytes = 256 * 1024;

  /// `spreads` is for a broadcast alone.
  static constexpr int blocks(int size, bool spreads) { return cut_by_ranks || spreads ? size : 1; }

  push_plan(const Storage& where, place here, bool spreads) : where_(where), here_(here), spreads_(spreads) {}

  /// Elements [first, first + length) of every block.
  push_call<Element> call(const push_region& region, std::size_t first, std::size_t length) const {
    push_call<Element> made;
    made.where = region;
    made.same_for_all = Plan.stage == stages::own_block || (!cut_by_ranks && !spreads_);
    for (int rank = 0; rank < here_.size; ++rank) {
      if (gives(here_.rank, rank)) {
        const int block = given_block(rank);
        const range part = cut(block, false, first, length);
        made.gives[rank] = std::uint32_t(part.count);
        made.give[rank] = static_cast<const Element*>(where_.read(form::input, block, part.first));
      }
      if (!reduces && gives(rank, here_.rank)) {
        const int block = taken_block(rank);
        const range part = cut(block, true, first, length);
        made.takes[rank] = std::uint32_t(part.count);
        made.take[rank] = static_cast<Element*>(where_.write(form::final, block, part.first));
      }
      if (hands_on && hands(rank, here_.rank)) {
        const range part = cut(rank, true, first, length);
        made.gathers[rank] = std::uint32_t(part.count);
        made.gather[rank] = static_cast<Element*>(where_.write(form::final, rank, part.first));
      }
      if (hands_on && hands(here_.rank, rank)) made.hands_on_to |= 1u << rank;
    }
    if (reduces && gets_fold()) {
      const int block = cut_by_ranks ? here_.rank : 0;
      const range part = cut(block, true, first, length);
      made.folded = contributions<Collective>(here_.rank, here_.size);
      made.results = made.folded == 0 ? 0 : std::uint32_t(part.count);
      if (keeps_fold()) made.result = static_cast<Element*>(where_.write(form::final, block, part.first));
      made.give[here_.rank] = static_cast<const Element*>(where_.read(form::input, block, part.first));
    }
    if (made.same_for_all && made.give[here_.rank] == nullptr && gives_any(made))
      made.give[here_.rank] = static_cast<const Element*>(
          where_.read(form::input, Plan.stage == stages::own_block ? here_.rank : 0, first));
    return made;
  }

  /// Every pointer of a call is on 16 bytes; what is not used is null, and is.
  static bool aligned(const push_call<Element>& call) {
    std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(call.result);
    for (int rank = 0; rank < most_peers; ++rank)
      bits |= reinterpret_cast<std::uintptr_t>(call.give[rank]) | reinterpret_cast<std::uintptr_t>(call.take[rank]) |
              reinterpret_cast<std::uintptr_t>(call.gather[rank]);
    return bits % 16 == 0;
  }

 private:
  bool is_root(int rank) const { return rank == here_.root; }

  /// Rank `from` pushes to rank `to`, or keeps a part itself.
  bool gives(int from, int to) const {
    switch (Plan.stage) {
      case stages::all:
        if (Plan.fold == folds::at_root) return is_root(to);
        if (Plan.fold == folds::ranks_below) return from < contributions<Collective>(to, here_.size);
        return true;
      case stages::own_block:
        return Plan.read != reads::at_root || is_root(to);
      case stages::at_root:
      case stages::blocks_at_root:
        return is_root(from);
      case stages::all_blocks:
        return true;
    }
    return false;
  }
  int given_block(int to) const {
    if (Plan.stage == stages::all_blocks) return here_.wrap(to - here_.rank);
    if (Plan.stage == stages::own_block) return here_.rank;
    return cut_by_ranks || spreads_ ? to : 0;
  }
  int taken_block(int from) const {
    if (Plan.stage == stages::all_blocks) return here_.wrap(here_.rank - from);
    if (Plan.stage == stages::own_block) return from;
    return cut_by_ranks || spreads_ ? here_.rank : 0;
  }
  bool gets_fold() const { return Plan.fold != folds::at_root || is_root(here_.rank); }
  /// Of a plan that hands its folds on to the root alone, the others keep none.
  bool keeps_fold() const { return !(hands_on && Plan.read == reads::at_root) || is_root(here_.rank); }
  /// Rank `from` hands its block on to rank `to`.
  bool hands(int from, int to) const {
    if (from == to) return false;
    if constexpr (may_spread)
      return spreads_ && !is_root(to);
    else
      return Plan.read != reads::at_root || is_root(to);
  }

  range cut(int block, bool arriving, std::size_t first, std::size_t length) const {
    const std::size_t whole = where_.count(block, arriving);
    const std::size_t skipped = first < whole ? first : whole;
    return {skipped, whole - skipped < length ? whole - skipped : length};
  }
  static bool gives_any(const push_call<Element>& call) {
    for (const std::uint32_t one : call.gives)
      if (one != 0) return true;
    return false;
  }

  const Storage& where_;
  place here_;
  bool spreads_;
};

/// The calls that a collective consists of: one where its blocks fit into the rows of the region, else several of equal
/// length. Runs launch(call, spreads) for each, in the same order on all ranks. False where an element is longer than a
/// row.
template <class Collective, shared_plan Plan, class Element, class Storage, class Launch>
bool for_each_push(Storage& where, place here, const push_region& region, Launch&& launch) {
  using plan_type = push_plan<Collective, Plan, Element, Storage>;
  using units = packing<std::conditional_t<plan_type::reduces, Element, std::uint8_t>>;
  const auto& given = where.given();
  const std::size_t longest = region.row / std::size_t(units::packs) * units::payload / sizeof(Element);
  if (longest == 0) return false;
  const bool spreads =
      plan_type::may_spread && here.size > 2 && given.count * sizeof(Element) >= plan_type::spread_bytes;
  if (given.table.empty()) where.cut_into(plan_type::blocks(here.size, spreads));
  // Where nothing moves, the ranks still tell each other what they call.
  const std::size_t block = where.largest(), pieces = block == 0 ? 1 : (block + longest - 1) / longest;
  std::size_t length = (block + pieces - 1) / pieces;
  if (pieces > 1 && length + 47 <= longest) length = (length + 47) / 48 * 48;  // all begin on 16 bytes if one does
  const plan_type plan(where, here, spreads);
  for (std::size_t piece = 0, first = 0; piece < pieces; ++piece, first += length) {
    auto call = plan.call(region, first, length);
    call.bytes = given.agrees ? 0 : given.count * sizeof(Element);
    call.aligned = plan_type::aligned(call);
    launch(call, spreads);
  }
  return true;
}

/// What is only moved, as words of another length, of which all its places and lengths are multiples. The bytes lie in
/// the packs alike for all lengths, so that each rank may choose its own.
template <class Word, class Element>
push_call<Word> as_words(const push_call<Element>& call) {
  push_call<Word> words;
  words.where = call.where;
  words.collective = call.collective;
  words.print = call.print;
  words.bytes = call.bytes;
  words.same_for_all = call.same_for_all;
  words.hands_on_to = call.hands_on_to;
  words.patience = call.patience;
  const auto scaled = [](std::uint32_t count) {
    return std::uint32_t(std::size_t(count) * sizeof(Element) / sizeof(Word));
  };
  for (int rank = 0; rank < most_peers; ++rank) {
    words.give[rank] = reinterpret_cast<const Word*>(call.give[rank]);
    words.take[rank] = reinterpret_cast<Word*>(call.take[rank]);
    words.gather[rank] = reinterpret_cast<Word*>(call.gather[rank]);
    words.gives[rank] = scaled(call.gives[rank]);
    words.takes[rank] = scaled(call.takes[rank]);
    words.gathers[rank] = scaled(call.gathers[rank]);
  }
  return words;
}
/// Everything of a call is a multiple of so many bytes.
template <class Element>
bool multiple_of(std::size_t bytes, const push_call<Element>& call) {
  std::uintptr_t bits = 0;
  for (int rank = 0; rank < most_peers; ++rank)
    bits |= reinterpret_cast<std::uintptr_t>(call.give[rank]) | reinterpret_cast<std::uintptr_t>(call.take[rank]) |
            reinterpret_cast<std::uintptr_t>(call.gather[rank]) | call.gives[rank] * sizeof(Element) |
            call.takes[rank] * sizeof(Element) | call.gathers[rank] * sizeof(Element);
  return bits % bytes == 0;
}

}  // namespace tutti::detail
