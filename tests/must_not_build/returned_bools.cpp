// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: std::vector<bool> keeps bits, not elements; give the call an output range of bool
#include <tutti/tutti.hpp>

// A vector of bool is no range of bool.
void call(tutti::threads::communicator& comm, const bool (&flags)[8], bool (&mine)[2]) {
#if defined(TUTTI_MUST_BUILD)
  tutti::reduce_scatter(comm, flags, mine, tutti::lor{});
#else
  tutti::reduce_scatter(comm, flags, tutti::lor{});
  (void)mine;
#endif
}
