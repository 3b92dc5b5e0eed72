// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/by_count.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/core/partition.hpp>

#include <utility>
#include <vector>

namespace tutti {

/// Folds the vectors of all ranks element by element; rank r gets shard r of the result.
///
/// in     count elements, the same count on all ranks; read.
/// out    shard(count, size, rank).count elements: the first count % size ranks have one more. Written; must
///        not overlap in.
/// The rest as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, operator_like Op, call_option... Options>
void reduce_scatter(Communicator& comm, In&& in, Out&& out, Op op, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    detail::expect_member(comm, "reduce_scatter");
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    const range mine = shard(from.count, comm.size(), comm.rank());
    detail::expect_length(comm, "reduce_scatter", "out", to.count, mine.count);
    detail::expect_apart(comm, "reduce_scatter", from, to);
    detail::operands<element_of<Out>> given;
    given.input = from.data;
    given.result = to.data;
    given.result_first = mine.first;
    given.count = from.count;
    detail::run_reduction<collective::reduce_scatter, Algorithm, Chunking>(comm, std::move(given), op, options...);
  }
}

/// Returns the shard.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          operator_like Op, call_option... Options>
auto reduce_scatter(Communicator& comm, In&& in, Op op, Options... options) {
  detail::returned_vector<element_of<In>> mine;
  if constexpr (detail::can_read<Communicator, In>()) {
    detail::expect_member(comm, "reduce_scatter");
    mine.resize(shard(detail::size_of(in), comm.size(), comm.rank()).count);
    reduce_scatter<Algorithm, Chunking>(comm, in, mine, op, options...);
  }
  return mine;
}

/// Shards of any lengths: rank r gets as many elements as its out has. in has their sum, on all ranks.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, flat_range In,
          flat_range Out, operator_like Op, call_option... Options>
void reduce_scatter_v(Communicator& comm, In&& in, Out&& out, Op op, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    detail::expect_member(comm, "reduce_scatter_v");
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_apart(comm, "reduce_scatter_v", from, to);
    auto given = detail::by_count(comm, from, to, 0);
    given.word = to.count;
    given.whole_room = from.count;
    detail::run_reduction<collective::reduce_scatter_v, Algorithm, Chunking>(comm, std::move(given), op, options...);
  }
}

/// From a list: rank r gets the fold of what all ranks have in in[r].
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, list_of_ranges In,
          flat_range Out, operator_like Op, call_option... Options>
void reduce_scatter(Communicator& comm, In&& in, Out&& out, Op op, Options... options) {
  if constexpr (detail::can_write<Communicator, Out>()) {
    detail::expect_member(comm, "reduce_scatter");
    const auto to = detail::write_view(out);
    auto given = detail::by_count(comm, detail::view<const element_of<Out>>{}, to, 0);
    given.word = to.count;
    detail::take_inputs(comm, "reduce_scatter", given, in, to);
    detail::run_reduction<collective::reduce_scatter_v, Algorithm, Chunking>(comm, std::move(given), op, options...);
  }
}

}  // namespace tutti
