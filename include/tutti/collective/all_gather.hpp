// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/all_reduce.hpp>
#include <tutti/collective/by_count.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/collective/in_place.hpp>
#include <tutti/core/partition.hpp>
#include <tutti/op/arithmetic.hpp>

#include <utility>
#include <vector>

namespace tutti {

namespace detail {

/// The own shard lies in `own`; where that is its place in the whole, nothing is copied.
template <class Algorithm, class Chunking, class Communicator, class Element, class... Options>
void gather_everywhere(Communicator& comm, const Element* own, view<Element> whole, const Options&... options) {
  operands<Element> given;
  given.input = own;
  given.input_first = shard(whole.count, comm.size(), comm.rank()).first;
  given.result = whole.data;
  given.count = whole.count;
  given.whole_result = true;
  given.own_block_given = own != whole.data + given.input_first;
  run_movement<collective::all_gather, Algorithm, Chunking>(comm, std::move(given), options...);
}

}  // namespace detail

/// In place: every rank's shard lies at its place in whole; afterwards all shards do.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range Whole,
          call_option... Options>
void all_gather(Communicator& comm, in_place_range<Whole> place, Options... options) {
  if constexpr (detail::can_write<Communicator, Whole>()) {
    detail::expect_member(comm, "all_gather");
    const auto to = detail::write_view(place.whole);
    const range mine = shard(to.count, comm.size(), comm.rank());
    detail::gather_everywhere<Algorithm, Chunking>(comm, to.data + mine.first, to, options...);
  }
}

/// Joins the shards of all ranks in rank order; every rank gets the whole.
///
/// in     shard(out.size(), size, rank).count elements: the first count % size ranks have one more. Read.
/// out    the whole, the same length on all ranks. Written; must not overlap in.
/// Who calls, what it throws and costs: as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, call_option... Options>
void all_gather(Communicator& comm, In&& in, Out&& out, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    detail::expect_member(comm, "all_gather");
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_length(comm, "all_gather", "in", from.count, shard(to.count, comm.size(), comm.rank()).count);
    detail::expect_apart(comm, "all_gather", from, to);
    detail::gather_everywhere<Algorithm, Chunking>(comm, from.data, to, options...);
  }
}

/// Returns the whole. Costs a small all_reduce more, to learn its length.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          call_option... Options>
auto all_gather(Communicator& comm, In&& in, Options... options) {
  detail::returned_vector<element_of<In>> whole;
  if constexpr (detail::can_read<Communicator, In>()) {
    detail::expect_member(comm, "all_gather");
    std::size_t total[] = {detail::size_of(in)};
    all_reduce(detail::base_of(comm), total, sum{});
    whole.resize(total[0]);
    all_gather<Algorithm, Chunking>(comm, in, whole, options...);
  }
  return whole;
}

/// Shards of any lengths: shard r has as many elements as rank r gives. out has their sum, on all ranks.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, call_option... Options>
void all_gather_v(Communicator& comm, In&& in, Out&& out, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    detail::expect_member(comm, "all_gather_v");
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_apart(comm, "all_gather_v", from, to);
    auto given = detail::by_count(comm, from, to, 0);
    given.word = from.count;
    given.whole_room = to.count;
    given.whole_result = given.own_block_given = true;
    detail::run_movement<collective::all_gather_v, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

/// Returns the shards of all ranks and their lengths. Costs one operation more, to learn them.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          call_option... Options>
auto all_gather_v(Communicator& comm, In&& in, Options... options) {
  shards<element_of<In>> all;
  if constexpr (detail::can_read<Communicator, In>()) {
    detail::expect_member(comm, "all_gather_v");
    all = detail::room_for<element_of<In>>(comm, detail::size_of(in), true);
    all_gather_v<Algorithm, Chunking>(comm, in, all.elements, options...);
  }
  return all;
}

/// Into a list: out[r] gets the shard of rank r, whatever its length.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          list_of_ranges Out, call_option... Options>
void all_gather(Communicator& comm, In&& in, Out&& out, Options... options) {
  if constexpr (detail::can_read<Communicator, In>()) {
    detail::expect_member(comm, "all_gather");
    const auto from = detail::read_view(in);
    auto given = detail::by_count(comm, from, detail::view<element_of<In>>{}, 0);
    given.word = from.count;
    given.whole_result = given.own_block_given = true;
    detail::take_results(comm, "all_gather", given, out, from);
    detail::run_movement<collective::all_gather_v, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

}  // namespace tutti
