// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/call.hpp>

#include <utility>

namespace tutti {

/// Gives every rank the root's elements.
///
/// in_out   count elements, the same count on all ranks; read at the root, written elsewhere.
/// Who calls, what it throws and costs: as all_reduce.
template <class Algorithm = automatic, class Chunking = default_chunking, class Communicator, contiguous_range In_out,
          call_option... Options>
void broadcast(Communicator& comm, In_out&& in_out, int root = 0, Options... options) {
  if constexpr (detail::can_write<Communicator, In_out>()) {
    const auto data = detail::write_view(in_out);
    detail::expect_root(comm, "broadcast", root);
    detail::operands<element_of<In_out>> given;
    given.input = data.data;
    given.result = data.data;
    given.count = data.count;
    given.root = root;
    given.in_place = given.whole_result = true;
    detail::run_movement<collective::broadcast, Algorithm, Chunking>(comm, std::move(given), options...);
  }
}

}  // namespace tutti
