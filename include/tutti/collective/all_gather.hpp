// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/all_reduce.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/collective/in_place.hpp>
#include <tutti/core/partition.hpp>
#include <tutti/op/arithmetic.hpp>

#include <cstring>
#include <vector>

namespace tutti {

/// In place: every rank's shard lies at its place in whole; afterwards all shards do.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range Whole,
          call_option... Options>
void all_gather(Communicator& comm, in_place_range<Whole> place, Options... options) {
  if constexpr (detail::can_write<Communicator, Whole>()) {
    const auto to = detail::write_view(place.whole);
    detail::operands<element_of<Whole>> given{nullptr, to.data, 0, to.count, 0, true, true};
    detail::run_movement<collective::all_gather, Algorithm, Chunking>(comm, given, options...);
  }
}

/// Joins the shards of all ranks in rank order; every rank gets the whole.
///
/// in     shard(out.size(), size, rank).count elements: the first count % size ranks have one more. Read.
/// out    the whole, the same length on all ranks. Written; must not overlap in.
/// Who calls, what it throws and costs: as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In,
          contiguous_range Out, call_option... Options>
void all_gather(Communicator& comm, In&& in, Out&& out, Options... options) {
  if constexpr (detail::can_read_and_write<Communicator, In, Out>()) {
    const auto from = detail::read_view(in);
    const auto to = detail::write_view(out);
    const range mine = shard(to.count, comm.size(), comm.rank());
    detail::expect_length(comm, "all_gather", "in", from.count, mine.count);
    detail::expect_apart(comm, "all_gather", from, to);
    if (mine.count != 0)
      std::memcpy(static_cast<void*>(to.data + mine.first), from.data, mine.count * sizeof(element_of<Out>));
    all_gather<Algorithm, Chunking>(comm, in_place(out), options...);
  }
}

/// Returns the whole. Costs a small all_reduce more, to learn its length.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In,
          call_option... Options>
auto all_gather(Communicator& comm, In&& in, Options... options) {
  std::vector<element_of<In>> whole;
  if constexpr (detail::can_read<Communicator, In>()) {
    std::size_t total[] = {detail::size_of(in)};
    all_reduce(comm, total, sum{});
    whole.resize(total[0]);
    all_gather<Algorithm, Chunking>(comm, in, whole, options...);
  }
  return whole;
}

}  // namespace tutti
