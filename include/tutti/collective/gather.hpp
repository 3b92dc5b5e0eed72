// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/by_count.hpp>
#include <tutti/collective/call.hpp>

#include <utility>
#include <vector>

namespace tutti {

/// Joins the shards of all ranks in rank order; the root gets the whole.
///
/// in     this rank's shard of an even partition: the first count % size ranks have one element more. Read.
/// out    written at the root: the whole. Elsewhere it isn't touched and may be empty.
/// Shards of other lengths: gather_v. The lengths become known as the ranks enter; a wrong one is an error on all.
/// Who calls, what it throws and costs: as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, call_option... Options>
void gather(Communicator& comm, In&& in, Out&& out, int root = 0, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_root(comm, "gather", root);
    if (comm.rank() == root) detail::expect_apart(comm, "gather", from, to);
    detail::operands<element_of<Out>> given;
    given.input = from.data;
    given.result = to.data;
    given.root = root;
    given.agrees = true;
    given.word = from.count;
    given.whole_room = to.count;
    detail::run_movement<collective::gather, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

/// Shards of any lengths: shard r has as many elements as rank r gives. out, at the root, has their sum.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, call_option... Options>
void gather_v(Communicator& comm, In&& in, Out&& out, int root = 0, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_root(comm, "gather_v", root);
    if (comm.rank() == root) detail::expect_apart(comm, "gather_v", from, to);
    auto given = detail::by_count(comm, from, to, root);
    given.word = from.count;
    given.whole_room = to.count;
    detail::run_movement<collective::gather_v, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

/// Into a list: out[r], at the root, gets the shard of rank r. Elsewhere the list isn't touched and may be empty.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          list_of_ranges Out, call_option... Options>
void gather(Communicator& comm, In&& in, Out&& out, int root = 0, Options... options) {
  if constexpr (detail::can_read<Communicator, In>()) {
    const auto from = detail::read_view(in);
    detail::expect_root(comm, "gather", root);
    auto given = detail::by_count(comm, from, detail::view<element_of<In>>{}, root);
    given.word = from.count;
    if (comm.rank() == root) detail::take_results(comm, "gather", given, out, from);
    detail::run_movement<collective::gather_v, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

/// Returns the shards of all ranks and their lengths; elsewhere than at the root there are no elements.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          call_option... Options>
auto gather_v(Communicator& comm, In&& in, int root = 0, Options... options) {
  shards<element_of<In>> all;
  if constexpr (detail::can_read<Communicator, In>()) {
    detail::expect_root(comm, "gather_v", root);
    all = detail::room_for<element_of<In>>(comm, detail::size_of(in), comm.rank() == root);
    gather_v<Algorithm, Chunking>(comm, in, all.elements, root, options...);
  }
  return all;
}

/// Returns the whole; elsewhere than at the root it is empty.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          call_option... Options>
auto gather(Communicator& comm, In&& in, int root = 0, Options... options) {
  detail::returned_vector<element_of<In>> whole;
  if constexpr (detail::can_read<Communicator, In>()) {
    detail::expect_root(comm, "gather", root);
    whole = std::move(detail::room_for<element_of<In>>(comm, detail::size_of(in), comm.rank() == root).elements);
    gather<Algorithm, Chunking>(comm, in, whole, root, options...);
  }
  return whole;
}

}  // namespace tutti
