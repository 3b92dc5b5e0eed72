// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/call.hpp>

#include <utility>

namespace tutti {
namespace detail {

template <class Collective, class Algorithm, class Chunking, class Communicator, class Element, class Op,
          class... Options>
void run_scan(Communicator& comm, view<const Element> from, view<Element> to, const Op& op, const Options&... options) {
  expect_member(comm, Collective::name);
  expect_length(comm, Collective::name, "out", to.count, from.count);
  operands<Element> given;
  given.in_place = same_or_apart(comm, Collective::name, from, to);
  given.input = from.data;
  given.result = to.data;
  given.count = to.count;
  given.whole_result = true;
  run_reduction<Collective, Algorithm, Chunking>(comm, std::move(given), op, options...);
}

}  // namespace detail

/// Rank r gets the fold of the vectors of ranks 0 to r, element by element.
///
/// in, out   count elements each, the same count on all ranks; the same range for both is in place.
/// The rest as all_reduce. avg on rank r divides by r + 1.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In,
          contiguous_range Out, operator_like Op, call_option... Options>
void scan(Communicator& comm, In&& in, Out&& out, Op op, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>())
    detail::run_scan<collective::scan, Algorithm, Chunking>(comm, detail::read_view(in), detail::write_view(out), op,
                                                            options...);
}
/// The same in place.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In_out,
          operator_like Op, call_option... Options>
void scan(Communicator& comm, In_out&& in_out, Op op, Options... options) {
  scan<Algorithm, Chunking>(comm, in_out, in_out, op, options...);
}

/// Rank r gets the fold of the vectors of the ranks below it. On rank 0 nothing is written: an operator need not have
/// an identity. The rest as scan.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In,
          contiguous_range Out, operator_like Op, call_option... Options>
void exclusive_scan(Communicator& comm, In&& in, Out&& out, Op op, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>())
    detail::run_scan<collective::exclusive_scan, Algorithm, Chunking>(comm, detail::read_view(in),
                                                                      detail::write_view(out), op, options...);
}
/// The same in place: rank 0 keeps its elements.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In_out,
          operator_like Op, call_option... Options>
void exclusive_scan(Communicator& comm, In_out&& in_out, Op op, Options... options) {
  exclusive_scan<Algorithm, Chunking>(comm, in_out, in_out, op, options...);
}

}  // namespace tutti
