// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/call.hpp>
#include <tutti/core/partition.hpp>

#include <vector>

namespace tutti {

/// Folds the vectors of all ranks element by element; rank r gets shard r of the result.
///
/// in     count elements, the same count on all ranks; read.
/// out    shard(count, size, rank).count elements: the first count % size ranks have one more. Written; must
///        not overlap in.
/// The rest as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In,
          contiguous_range Out, operator_like Op, call_option... Options>
void reduce_scatter(Communicator& comm, In&& in, Out&& out, Op op, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    const range mine = shard(from.count, comm.size(), comm.rank());
    detail::expect_length(comm, "reduce_scatter", "out", to.count, mine.count);
    detail::expect_apart(comm, "reduce_scatter", from, to);
    detail::operands<element_of<Out>> given{from.data, to.data, mine.first, from.count, 0, false, false};
    detail::run_reduction<collective::reduce_scatter, Algorithm, Chunking>(comm, given, op, options...);
  }
}

/// Returns the shard.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In,
          operator_like Op, call_option... Options>
auto reduce_scatter(Communicator& comm, In&& in, Op op, Options... options) {
  std::vector<element_of<In>> mine;
  if constexpr (detail::can_read<Communicator, In>()) {
    mine.resize(shard(detail::size_of(in), comm.size(), comm.rank()).count);
    reduce_scatter<Algorithm, Chunking>(comm, in, mine, op, options...);
  }
  return mine;
}

}  // namespace tutti
