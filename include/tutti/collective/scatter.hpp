// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/by_count.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/core/partition.hpp>

#include <utility>

namespace tutti {

/// Cuts the root's elements evenly; rank r gets shard r.
///
/// in     read at the root: the whole. Elsewhere it isn't looked at and may be empty.
/// out    shard(count, size, rank).count elements: the first count % size ranks have one more. Written.
/// Shards of other lengths: scatter_v. The count becomes known as the root enters; a wrong length is an error on all.
/// Who calls, what it throws and costs: as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, call_option... Options>
void scatter(Communicator& comm, In&& in, Out&& out, int root = 0, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_root(comm, "scatter", root);
    const bool here = comm.rank() == root;
    if (here) {
      detail::expect_apart(comm, "scatter", from, to);
      detail::expect_length(comm, "scatter", "out", to.count, shard(from.count, comm.size(), root).count);
    }
    detail::operands<element_of<Out>> given;
    given.input = from.data;
    given.result = to.data;
    given.root = root;
    given.agrees = true;
    given.word = here ? from.count : to.count;
    given.whole_room = from.count;
    detail::run_movement<collective::scatter, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

/// Shards of any lengths: rank r gets as many elements as its out has. in, at the root, has their sum.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, call_option... Options>
void scatter_v(Communicator& comm, In&& in, Out&& out, int root = 0, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_root(comm, "scatter_v", root);
    if (comm.rank() == root) detail::expect_apart(comm, "scatter_v", from, to);
    auto given = detail::by_count(comm, from, to, root);
    given.word = to.count;
    given.whole_room = from.count;
    detail::run_movement<collective::scatter_v, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

/// From a list: rank r gets in[r] of the root. Elsewhere the list isn't looked at and may be empty.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, list_of_ranges In,
          flat_range Out, call_option... Options>
void scatter(Communicator& comm, In&& in, Out&& out, int root = 0, Options... options) {
  if constexpr (detail::can_write<Communicator, Out>()) {
    const auto to = detail::write_view(out);
    detail::expect_root(comm, "scatter", root);
    auto given = detail::by_count(comm, detail::view<const element_of<Out>>{}, to, root);
    given.word = to.count;
    if (comm.rank() == root) detail::take_inputs(comm, "scatter", given, in, to);
    detail::run_movement<collective::scatter_v, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

}  // namespace tutti
