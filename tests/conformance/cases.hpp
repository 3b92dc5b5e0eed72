// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the cases of CASES.md share: data that any rank can compute of any other, what plain loops make of it, and
// outputs that were poisoned before. The cases were bugs of other libraries.

#include "buffers.hpp"
#include "elements.hpp"
#include "suite.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

using ints = std::vector<std::int32_t>;

/// What a rank gives: its vector of so many elements.
template <class Type = std::int32_t>
std::vector<Type> data_of(int rank, std::size_t count, std::uint64_t salt) {
  std::vector<Type> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = sample<Type>(domain::sums, rank, i, salt);
  return made;
}

/// The sum of what ranks [0, ranks) give.
inline ints sum_of(int ranks, std::size_t count, std::uint64_t salt) {
  ints total(count, 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const ints theirs = data_of(rank, count, salt);
    for (std::size_t i = 0; i < count; ++i) total[i] += theirs[i];
  }
  return total;
}

template <class Communicator>
[[noreturn]] void fail_case(const Communicator& comm, const std::string& what) {
  throw std::runtime_error(what + " [transport " + Communicator::transport_name + ", rank " +
                           std::to_string(comm.rank()) + " of " + std::to_string(comm.size()) + "]");
}

template <class Communicator, class Type>
void expect_bits(const Communicator& comm, const std::string& what, std::span<const Type> found,
                 std::span<const Type> expected) {
  if (found.size() != expected.size())
    fail_case(comm,
              what + ": " + std::to_string(found.size()) + " elements, expected " + std::to_string(expected.size()));
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::memcmp(&found[i], &expected[i], sizeof(Type)) != 0) {
      std::string values;
      if constexpr (std::is_arithmetic_v<Type>)
        values = ": " + std::to_string(found[i]) + ", expected " + std::to_string(expected[i]);
      fail_case(comm,
                what + ": wrong at element " + std::to_string(i) + " of " + std::to_string(found.size()) + values);
    }
}
template <class Communicator, class Type>
void expect_bits(const Communicator& comm, const std::string& what, const std::vector<Type>& found,
                 const std::vector<Type>& expected) {
  expect_bits<Communicator, Type>(comm, what, std::span<const Type>(found), std::span<const Type>(expected));
}
template <class Communicator, class Type>
void expect_bits(const Communicator& comm, const std::string& what, const guarded<Type>& found,
                 const std::vector<Type>& expected) {
  if (!found.guards_intact()) fail_case(comm, what + ": wrote beside its output");
  expect_bits<Communicator, Type>(comm, what, found.span(), std::span<const Type>(expected));
}
template <class Communicator, class Type>
void expect_untouched(const Communicator& comm, const std::string& what, const guarded<Type>& found) {
  if (!found.guards_intact() || !found.untouched()) fail_case(comm, what + ": wrote where it gives nothing");
}

/// All ranks still count alike.
template <class Communicator>
void expect_in_step(Communicator& comm, const std::string& after) {
  int ranks[] = {1};
  tutti::all_reduce(comm, ranks, tutti::sum{});
  if (ranks[0] != comm.size()) fail_case(comm, after + ": afterwards the ranks are out of step");
}

/// A shard of all ranks' vectors of `count` elements: what rank r gives of them.
inline ints shard_of(int rank, int size, std::size_t count, std::uint64_t salt) {
  const ints all = data_of(rank, count, salt);
  const std::size_t small = count / std::size_t(size), larger = count % std::size_t(size), r = std::size_t(rank);
  const std::size_t first = r * small + (r < larger ? r : larger);
  return ints(all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(first + small + (r < larger ? 1 : 0)));
}
/// All shards in rank order.
inline ints shards_of(int size, std::size_t count, std::uint64_t salt) {
  ints all;
  for (int rank = 0; rank < size; ++rank) {
    const ints one = shard_of(rank, size, count, salt);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

/// The algorithms of a list that serve a collective, one after the other, each with a text that names it.
template <class Collective, class Communicator, class Type, class Op, class Use, class... Algorithms>
void with_each(list<Algorithms...>, Use&& use) {
  const auto one = [&]<class Algorithm>(list<Algorithm>) {
    if constexpr (serves<Communicator, Algorithm, Collective, Type, Op>())
      use(value_of<Algorithm>(), std::string(Collective::name) + " by " + Algorithm::name);
  };
  (one(list<Algorithms>{}), ...);
}

/// One algorithm of each kind: by loads and stores, by messages of few blocks and of many.
using some_algorithms =
    std::conditional_t<reduced, list<tutti::automatic, tutti::pairwise>,
                       list<tutti::automatic, tutti::tree, tutti::aggregator, tutti::pairwise, tutti::bruck>>;

}  // namespace conformance
