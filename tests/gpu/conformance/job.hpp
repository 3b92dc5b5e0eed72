// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a rank gives to a collective, what its output holds before and what it must hold afterwards: every collective
// said in plain loops, apart from the library.

#include "elements.hpp"

#include <tutti/schedule/collective.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace conformance {

namespace tag = tutti::collective;

struct seat {
  int rank = 0, size = 1, root = 0;
};

/// Elements [first, first + count) of something cut evenly: the first n % size ranks have one more.
struct piece {
  std::size_t first, count;
};
inline piece piece_of(std::size_t n, int size, int rank) {
  const std::size_t small = n / std::size_t(size), larger = n % std::size_t(size), r = std::size_t(rank);
  return {r * small + (r < larger ? r : larger), small + (r < larger ? 1 : 0)};
}

/// Uneven lengths, of which some are zero where n is small.
inline std::size_t length_of(int number, std::size_t n, std::uint64_t salt) {
  const auto kind = (std::uint64_t(number) + salt) % 3;
  return kind == 0 ? n / 7 : kind == 1 ? n / 2 : n / 3 + 1;
}

template <class Type>
Type poison() {
  Type made;
  std::memset(static_cast<void*>(&made), 0xEE, sizeof made);
  return made;
}

template <class Type>
struct job {
  seat at{};
  bool in_place = false;
  std::vector<Type> given;                  // in
  std::vector<Type> before, after;          // out
  std::vector<std::size_t> sent, received;  // all_to_all_v

  /// The output that this rank gets, of so many elements.
  template <class Value>
  void gets(std::size_t count, Value value) {
    for (std::size_t i = 0; i < count; ++i) after.push_back(value(i));
    before.assign(count, poison<Type>());
  }
  template <class Value>
  void gives(std::size_t count, Value value) {
    for (std::size_t i = 0; i < count; ++i) given.push_back(value(i));
  }
  void gets_nothing(std::size_t room) { before = after = std::vector<Type>(room, poison<Type>()); }
  /// What it gives lies in the output, from here on.
  void lies_in_output(std::size_t first) {
    in_place = true;
    for (std::size_t i = 0; i < given.size(); ++i) before[first + i] = given[i];
  }
};

/// Collectives that fold.
template <class Collective, class Case>
job<typename Case::type> fold_job(const seat& at, std::size_t n, bool in_place, std::uint64_t salt) {
  job<typename Case::type> made;
  made.at = at;
  const auto fold_of = [&](int ranks) { return [=](std::size_t i) { return Case::expected(ranks, i, salt); }; };
  std::size_t whole = n;
  if constexpr (std::same_as<Collective, tag::reduce_scatter_v>) {
    whole = 0;
    std::size_t first = 0;
    for (int rank = 0; rank < at.size; ++rank) {
      if (rank == at.rank) first = whole;
      whole += length_of(rank, n, salt);
    }
    made.gets(length_of(at.rank, n, salt), [&](std::size_t i) { return Case::expected(at.size, first + i, salt); });
  } else if constexpr (std::same_as<Collective, tag::reduce_scatter>) {
    const piece mine = piece_of(n, at.size, at.rank);
    made.gets(mine.count, [&](std::size_t i) { return Case::expected(at.size, mine.first + i, salt); });
  } else if constexpr (std::same_as<Collective, tag::scan>) {
    made.gets(n, fold_of(at.rank + 1));
  } else if constexpr (std::same_as<Collective, tag::exclusive_scan>) {
    if (at.rank == 0)
      made.gets_nothing(n);
    else
      made.gets(n, fold_of(at.rank));
  } else if constexpr (std::same_as<Collective, tag::reduce>) {
    if (at.rank == at.root)
      made.gets(n, fold_of(at.size));
    else
      made.gets_nothing(n);
  } else {
    made.gets(n, fold_of(at.size));
  }
  made.gives(whole, [&](std::size_t i) { return Case::value(at.rank, i, salt); });
  if (in_place) {
    made.lies_in_output(0);
    if (std::same_as<Collective, tag::reduce> && at.rank != at.root) made.after = made.before;
    if (std::same_as<Collective, tag::exclusive_scan> && at.rank == 0) made.after = made.before;
  }
  return made;
}
template <class Collective>
inline constexpr bool folds_in_place =
    !std::same_as<Collective, tag::reduce_scatter> && !std::same_as<Collective, tag::reduce_scatter_v>;

/// Collectives that move.
template <class Collective, class Type>
job<Type> move_job(const seat& at, std::size_t n, bool in_place, std::uint64_t salt) {
  job<Type> made;
  made.at = at;
  const auto element = [salt](std::size_t i) { return any_bits<Type>(scramble(salt, i)); };
  const auto from = [&](std::size_t first) { return [&element, first](std::size_t i) { return element(first + i); }; };
  const bool is_root = at.rank == at.root;
  // The whole, and this rank's piece of it.
  piece mine = piece_of(n, at.size, at.rank);
  std::size_t whole = n;
  if constexpr (std::same_as<Collective, tag::gather_v> || std::same_as<Collective, tag::scatter_v> ||
                std::same_as<Collective, tag::all_gather_v>) {
    whole = 0;
    for (int rank = 0; rank < at.size; ++rank) {
      if (rank == at.rank) mine = {whole, length_of(rank, n, salt)};
      whole += length_of(rank, n, salt);
    }
  }
  if constexpr (std::same_as<Collective, tag::broadcast>) {
    made.gets(n, element);
    if (is_root) made.before = made.after;
    made.in_place = true;
  } else if constexpr (std::derived_from<Collective, tag::all_gather>) {
    made.gives(mine.count, from(mine.first));
    made.gets(whole, element);
    if (in_place) made.lies_in_output(mine.first);
  } else if constexpr (std::derived_from<Collective, tag::gather>) {
    made.gives(mine.count, from(mine.first));
    if (is_root)
      made.gets(whole, element);
    else
      made.gets_nothing(7);
  } else if constexpr (std::derived_from<Collective, tag::scatter>) {
    made.gives(is_root ? whole : 0, element);
    made.gets(mine.count, from(mine.first));
  } else {
    constexpr bool uneven = std::same_as<Collective, tag::all_to_all_v>;
    const auto part = [&](int source, int target) {
      return uneven ? length_of(source * at.size + target, n, salt) : n / std::size_t(at.size);
    };
    // What a rank sends to another: any bits after a number of the pair.
    const auto bits = [&](int source, int target, std::size_t i) {
      return any_bits<Type>(scramble(salt + std::uint64_t(source * at.size + target + 1), i));
    };
    for (int peer = 0; peer < at.size; ++peer) {
      made.sent.push_back(part(at.rank, peer));
      made.received.push_back(part(peer, at.rank));
      made.gives(made.sent.back(), [&](std::size_t i) { return bits(at.rank, peer, i); });
      for (std::size_t i = 0; i < made.received.back(); ++i) made.after.push_back(bits(peer, at.rank, i));
    }
    made.before.assign(made.after.size(), poison<Type>());
  }
  return made;
}

}  // namespace conformance
