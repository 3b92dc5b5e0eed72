// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/call.hpp>

#include <utility>

namespace tutti {

/// Folds the vectors of all ranks element by element; every rank gets the result, bit for bit the same.
///
/// in, out   count elements each, the same count on all ranks; in is read, out is written. The same range
///           for both is in place; a partial overlap is an error.
/// op        associative, in the same state on all ranks; folded in rank order unless it commutes and the
///           algorithm folds otherwise.
/// options   an algorithm (or one_of, automatic) and a chunking policy, in any order.
/// Who calls  all ranks of comm, in the same order of operations.
/// Throws    tutti::error: bad_argument, mismatch where ranks disagree, peer_failed, timeout, resource.
/// Cost      that of the algorithm; see its header.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In,
          contiguous_range Out, operator_like Op, call_option... Options>
void all_reduce(Communicator& comm, In&& in, Out&& out, Op op, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    detail::expect_member(comm, "all_reduce");
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    detail::expect_length(comm, "all_reduce", "out", to.count, from.count);
    const bool in_place = detail::same_or_apart(comm, "all_reduce", from, to);
    detail::operands<element_of<Out>> given;
    given.input = from.data;
    given.result = to.data;
    given.count = to.count;
    given.in_place = in_place;
    given.whole_result = true;
    detail::run_reduction<collective::all_reduce, Algorithm, Chunking>(comm, std::move(given), op, options...);
  }
}

/// The same in place.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In_out,
          operator_like Op, call_option... Options>
void all_reduce(Communicator& comm, In_out&& in_out, Op op, Options... options) {
  all_reduce<Algorithm, Chunking>(comm, in_out, in_out, op, options...);
}

}  // namespace tutti
