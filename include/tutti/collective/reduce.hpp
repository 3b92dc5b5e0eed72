// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/call.hpp>

#include <utility>

namespace tutti {

/// Folds the vectors of all ranks element by element; the root gets the result.
///
/// in     count elements, the same count on all ranks; read.
/// out    written at the root: count elements. Elsewhere it isn't touched and may be empty.
/// The rest as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In,
          contiguous_range Out, operator_like Op, call_option... Options>
void reduce(Communicator& comm, In&& in, Out&& out, Op op, int root = 0, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_root(comm, "reduce", root);
    const bool here = comm.rank() == root;
    bool in_place = false;
    if (here) {
      detail::expect_length(comm, "reduce", "out", to.count, from.count);
      in_place = detail::same_or_apart(comm, "reduce", from, to);
    }
    detail::operands<element_of<Out>> given;
    given.input = from.data;
    given.result = here ? to.data : nullptr;
    given.count = from.count;
    given.root = root;
    given.in_place = in_place;
    given.whole_result = here;
    detail::run_reduction<collective::reduce, Algorithm, Chunking>(comm, std::move(given), op, options...);
  }
}

/// In place: at the root the result replaces the rank's own elements; elsewhere in_out is only read.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In_out,
          operator_like Op, call_option... Options>
void reduce(Communicator& comm, In_out&& in_out, Op op, int root = 0, Options... options) {
  reduce<Algorithm, Chunking>(comm, in_out, in_out, op, root, options...);
}

}  // namespace tutti
