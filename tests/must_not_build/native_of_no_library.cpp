// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this one stands on none
#include <tutti/tutti.hpp>

#include <vector>

// Threads have no library below them that could do it.
void call(tutti::threads::communicator& comm, std::vector<int>& data) {
#if defined(TUTTI_MUST_BUILD)
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::direct{});
#else
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::native{});
#endif
}
