// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/schedule/collective.hpp>

namespace tutti {

namespace detail {
struct symmetric {
  static constexpr const char* name = "symmetric";
};
}  // namespace detail

/// Returns when all ranks have called it; what they did before is visible afterwards.
/// Who calls  all ranks of comm. Throws as all_reduce. One operation: each rank writes a line, reads size - 1.
template <class Communicator>
void barrier(Communicator& comm) {
  static_assert(communicator_like<Communicator>, "tutti: the first argument must be a communicator of tutti");
  if constexpr (communicator_like<Communicator>) {
    static constexpr auto call =
        detail::signature_of<collective::barrier, char, detail::symmetric, detail::symmetric>();
    const auto described = detail::describe(call, 0, 0, 0, 0);
    comm.drive([&] { return comm.try_begin(described); });
    int peer = 0;
    comm.drive([&] {
      for (; peer < comm.size(); ++peer)
        if (peer != comm.rank() && !comm.joined(peer)) return detail::progress::waiting;
      return detail::progress::done;
    });
  }
}

}  // namespace tutti
