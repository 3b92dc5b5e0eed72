// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/call.hpp>
#include <tutti/core/buffer.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/pool.hpp>

#include <cstddef>
#include <vector>

namespace tutti {

/// What the ranks gave, one after the other, and how much each of them.
template <class Element>
struct shards {
  detail::returned_vector<Element> elements;
  std::vector<std::size_t> counts;  // by rank

  /// The elements of a rank.
  detail::view<const Element> operator[](int rank) const {
    std::size_t first = 0;
    for (int r = 0; r < rank; ++r) first += counts[std::size_t(r)];
    return {elements.data() + first, counts[std::size_t(rank)]};
  }
};

namespace detail {

struct exchange_tag {
  static constexpr const char* name = "exchange";
};

/// Everyone learns one number of everyone, and that all call the same with the same root. Collective; one operation, no
/// data.
template <class Call, class Element, class Communicator, class Use>
void exchange_numbers(Communicator& comm, std::size_t mine, int root, Use&& use) {
  static constexpr auto call = signature_of<Call, Element, Call, Call>();
  const auto described = describe(call, 1, sizeof(Element), 0, root);
  comm.drive([&] { return comm.try_begin(described, mine); });
  int peer = 0;
  comm.drive_pending([&] {
    for (; peer < comm.size(); ++peer)
      if (peer != comm.rank() && !comm.joined(peer)) return progress::waiting;
    return progress::done;
  });
  for (int rank = 0; rank < comm.size(); ++rank) use(rank == comm.rank() ? mine : std::size_t(comm.payload_of(rank)));
}

/// Room for what all ranks give, where it is wanted; the counts everywhere.
template <class Element, class Communicator>
shards<Element> room_for(Communicator& comm, std::size_t mine, bool here) {
  shards<Element> all;
  std::size_t total = 0;
  all.counts.reserve(std::size_t(comm.size()));
  exchange_numbers<exchange_tag, std::size_t>(base_of(comm), mine, 0, [&](std::size_t count) {
    all.counts.push_back(count);
    total += count;
  });
  if (here) all.elements.resize(total);
  return all;
}

/// Operands whose blocks follow from the lengths that the ranks bring.
template <class Communicator, class Element>
operands<Element> by_count(Communicator& comm, view<const Element> from, view<Element> to, int root) {
  operands<Element> given;
  given.input = from.data;
  given.result = to.data;
  given.root = root;
  given.agrees = true;
  given.table = pooled_array<block_entry<Element>>(base_of(comm).memory_pool(), std::size_t(comm.size()));
  return given;
}

template <class Communicator, class List>
void expect_one_each(const Communicator& comm, const char* collective, const char* argument, const List& list) {
  const std::size_t length = length_of(list);
  if (length != std::size_t(comm.size()))
    fail(errc::bad_argument, comm.rank(),
         "%s on rank %d: the list %s has %zu ranges, expected one for each of %d ranks", collective, comm.rank(),
         argument, length, comm.size());
}

/// The list's ranges get the blocks of the ranks.
template <class Communicator, class Element, class List, class Source>
void take_results(const Communicator& comm, const char* collective, operands<Element>& given, List& list,
                  view<const Source> from) {
  static_assert(std::is_same_v<element_of_list<List>, Element>, "tutti: both ranges must have the same element type");
  expect_one_each(comm, collective, "out", list);
  given.listed = true;
  std::size_t rank = 0;
  for (auto&& one : list) {
    const auto to = write_view(one);
    expect_apart(comm, collective, from, to);
    given.table[rank].result = to.data;
    given.table[rank].sent = given.table[rank].received = to.count;
    ++rank;
  }
}

/// The list's ranges are the blocks for the ranks.
template <class Communicator, class Element, class List, class Target>
void take_inputs(const Communicator& comm, const char* collective, operands<Element>& given, List& list,
                 view<Target> to) {
  static_assert(std::is_same_v<element_of_list<List>, Element>, "tutti: both ranges must have the same element type");
  expect_one_each(comm, collective, "in", list);
  given.listed = true;
  std::size_t rank = 0;
  for (auto&& one : list) {
    const auto from = read_view(one);
    expect_apart(comm, collective, from, to);
    given.table[rank].input = from.data;
    given.table[rank].sent = given.table[rank].received = from.count;
    ++rank;
  }
}

}  // namespace detail
}  // namespace tutti
