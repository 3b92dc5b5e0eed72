// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Objects of every shape through every call that takes objects: other lengths on other ranks, every root, groups.

#include "../unit/object_types.hpp"
#include "elements.hpp"
#include "world.hpp"

#include <tutti/object.hpp>

#include <algorithm>
#include <list>
#include <set>
#include <stdexcept>

namespace conformance {

/// What a rank gives in one turn, from nothing at all to something longer than a letter of the transport.
template <class Type>
struct specimen;

inline std::size_t length_for(int rank, std::uint64_t turn) { return (std::size_t(rank) * 7 + turn * 3) % 11; }

template <>
struct specimen<bool> {
  static bool make(int rank, std::uint64_t turn) { return scramble(turn, std::uint64_t(rank)) % 2 == 0; }
};
template <>
struct specimen<std::string> {
  static std::string make(int rank, std::uint64_t turn) {
    return std::string(length_for(rank, turn) * 300, char('a' + (rank + int(turn)) % 26));
  }
};
template <class Type>
struct specimen<std::vector<Type>> {
  static std::vector<Type> make(int rank, std::uint64_t turn) {
    std::vector<Type> made;
    for (std::size_t i = 0; i < length_for(rank, turn); ++i) made.push_back(specimen<Type>::make(rank + int(i), turn));
    return made;
  }
};
template <>
struct specimen<std::map<std::string, std::set<int>>> {
  static std::map<std::string, std::set<int>> make(int rank, std::uint64_t turn) {
    std::map<std::string, std::set<int>> made;
    for (std::size_t i = 0; i < length_for(rank, turn); ++i)
      for (std::size_t k = 0; k < i; ++k) made[std::to_string(i)].insert(rank + int(k));
    return made;
  }
};
template <>
struct specimen<sent::nested> {
  static sent::nested make(int rank, std::uint64_t turn) {
    auto made = turn % 2 == 0 ? sent::some_nested() : sent::nested{};
    made[std::to_string(rank)].resize(length_for(rank, turn));
    return made;
  }
};
template <>
struct specimen<sent::named_run> {
  static sent::named_run make(int rank, std::uint64_t turn) {
    sent::named_run made;
    made.name = specimen<std::string>::make(rank, turn);
    made.losses.assign(length_for(rank, turn + 1), float(rank));
    made.rates[2] = float(turn);
    if (rank % 2 == 0) made.author = "rank " + std::to_string(rank);
    return made;
  }
};
template <>
struct specimen<sent::tree> {
  static sent::tree make(int rank, std::uint64_t turn) {
    sent::tree made{rank, {}};
    for (std::size_t level = 0; level < length_for(rank, turn); ++level) {
      sent::tree above{int(level), {}};
      above.children.push_back(std::move(made));
      made = std::move(above);
    }
    return made;
  }
};
template <>
struct specimen<sent::foreign> {
  static sent::foreign make(int rank, std::uint64_t turn) {
    return sent::foreign(specimen<std::string>::make(rank, turn));
  }
};
template <>
struct specimen<sent::no_default> {
  static sent::no_default make(int rank, std::uint64_t turn) { return sent::no_default(rank * 100 + int(turn)); }
};
template <>
struct specimen<std::optional<sent::lodger>> {
  static std::optional<sent::lodger> make(int rank, std::uint64_t turn) {
    if ((rank + int(turn)) % 2 == 0) return std::nullopt;
    sent::lodger made;
    made.guest = char('a' + rank);
    made.name = specimen<std::string>::make(rank, turn);
    return made;
  }
};
/// All ranks give the same: no bytes.
template <>
struct specimen<sent::nothing> {
  static sent::nothing make(int, std::uint64_t) { return {}; }
};
template <>
struct specimen<sent::empty> {
  static sent::empty make(int, std::uint64_t) { return {}; }
};

template <class Communicator>
void expect_object(const Communicator& comm, const std::string& call, std::uint64_t turn, bool holds) {
  if (!holds)
    throw std::runtime_error(call + " in turn " + std::to_string(turn) + " on rank " + std::to_string(comm.rank()) +
                             " of " + std::to_string(comm.size()) + " gave something else");
}

/// The specimens of all ranks.
template <class Type>
std::vector<Type> of_all(int size, std::uint64_t turn) {
  std::vector<Type> all;
  for (int rank = 0; rank < size; ++rank) all.push_back(specimen<Type>::make(rank, turn));
  return all;
}

template <class Type, class Communicator>
void one_turn_of_objects(Communicator& comm, std::uint64_t turn) {
  const int p = comm.size(), me = comm.rank();
  const std::vector<Type> all = of_all<Type>(p, turn);
  const Type mine = specimen<Type>::make(me, turn);
  expect_object(comm, "all_gather_object", turn, tutti::all_gather_object(comm, mine) == all);
  for (int root = 0; root < p; ++root) {
    Type given = specimen<Type>::make(me, turn);
    tutti::broadcast_object(comm, given, root);
    expect_object(comm, "broadcast_object", turn, given == specimen<Type>::make(root, turn));
    const auto gathered = tutti::gather_object(comm, mine, root);
    expect_object(comm, "gather_object", turn, me == root ? gathered == all : gathered.empty());
    const auto part = tutti::scatter_object(comm, me == root ? all : std::vector<Type>{}, root);
    expect_object(comm, "scatter_object", turn, part == mine);
  }
  std::vector<Type> for_all, from_all;
  for (int peer = 0; peer < p; ++peer) {
    for_all.push_back(specimen<Type>::make(me + peer, turn + 1));
    from_all.push_back(specimen<Type>::make(peer + me, turn + 1));
  }
  expect_object(comm, "all_to_all_object", turn, tutti::all_to_all_object(comm, for_all) == from_all);
  const int next = (me + 1) % p, before = (me + p - 1) % p;
  if (p == 1) return;
  // A send may wait for its receiver: the even ranks begin.
  if (me % 2 == 0) tutti::send_object(comm, next, mine, 3);
  expect_object(comm, "recv_object", turn,
                tutti::recv_object<Type>(comm, before, 3) == specimen<Type>::make(before, turn));
  if (me % 2 == 1) tutti::send_object(comm, next, mine, 3);
}

template <class Communicator, class... Types>
void turns_of_objects(Communicator& comm) {
  for (std::uint64_t turn = 0; turn < 3; ++turn) (one_turn_of_objects<Types>(comm, turn), ...);
}

/// In the world, then at once in the groups of its even and its odd ranks.
template <class Transport, class... Types>
void objects() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        turns_of_objects<typename Transport::communicator, Types...>(comm);
        auto group = comm.split(comm.rank() % 2);
        turns_of_objects<typename Transport::communicator, Types...>(group);
        expect_object(comm, "all_gather_object after the groups", 0,
                      tutti::all_gather_object(comm, comm.rank()).size() == std::size_t(comm.size()));
      },
      8);
}

/// Several megabytes on some ranks, nothing on others; plain elements, and elements with lengths of their own.
template <class Transport>
void large_objects() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int p = comm.size(), me = comm.rank();
        const auto large = [](int rank) {
          std::vector<std::uint64_t> made(std::size_t(rank % 3) * (reduced ? 50000 : 400000));
          for (std::size_t i = 0; i < made.size(); ++i) made[i] = scramble(i, std::uint64_t(rank));
          return made;
        };
        const auto texts = [](int rank) { return std::list<std::string>(std::size_t(rank) * 4000, "number"); };
        const auto numbers = tutti::all_gather_object(comm, large(me));
        const auto words = tutti::gather_object(comm, texts(me), p - 1);
        for (int rank = 0; rank < p; ++rank) {
          expect_object(comm, "all_gather_object", 0, numbers[std::size_t(rank)] == large(rank));
          if (me == p - 1) expect_object(comm, "gather_object", 0, words[std::size_t(rank)] == texts(rank));
        }
        auto given = large(me);
        tutti::broadcast_object(comm, given, p / 2);
        expect_object(comm, "broadcast_object", 0, given == large(p / 2));
        expect_object(comm, "scatter_object", 0, tutti::scatter_object(comm, numbers, p - 1) == large(me));
        std::vector<std::vector<std::uint64_t>> for_all;
        for (int peer = 0; peer < p; ++peer) for_all.push_back(large(me + peer));
        const auto from_all = tutti::all_to_all_object(comm, for_all);
        for (int peer = 0; peer < p; ++peer)
          expect_object(comm, "all_to_all_object", 0, from_all[std::size_t(peer)] == large(me + peer));
      },
      5);
}

/// C arrays are overwritten in place; any range gives the values; a rank may send to itself; tags keep types apart.
template <class Transport>
void other_objects() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const int p = comm.size(), me = comm.rank();
        std::string names[2];
        if (me == p - 1) names[1] = "last";
        tutti::broadcast_object(comm, names, p - 1);
        expect_object(comm, "broadcast_object of an array", 0, names[1] == "last" && names[0].empty());
        const std::list<std::string> values(std::size_t(p), "of a list");
        expect_object(comm, "scatter_object", 0, tutti::scatter_object(comm, values) == "of a list");
        std::vector<bool> bits;
        for (int peer = 0; peer < p; ++peer) bits.push_back((me + peer) % 3 == 0);
        expect_object(comm, "all_to_all_object of bits", 0, tutti::all_to_all_object(comm, bits) == bits);
        tutti::send_object(comm, me, std::string("to myself"), 1);
        tutti::send_object(comm, me, std::vector<int>{1, 2, 3}, 2);
        expect_object(comm, "recv_object", 2, tutti::recv_object<std::vector<int>>(comm, me, 2).size() == 3);
        expect_object(comm, "recv_object", 1, tutti::recv_object<std::string>(comm, me, 1) == "to myself");
      },
      5);
}

}  // namespace conformance
