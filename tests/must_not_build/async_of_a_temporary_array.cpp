// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this array would be gone before the request ends
#include <tutti/tutti.hpp>

#include <array>
#include <vector>

// A request outlives the statement; a temporary std::array doesn't. A vector moves in.
void call(tutti::threads::communicator& comm) {
#if defined(TUTTI_MUST_BUILD)
  auto request = tutti::async::all_reduce(comm, std::vector<float>(8), tutti::sum{});
#else
  auto request = tutti::async::all_reduce(comm, std::array<float, 8>{}, tutti::sum{});
#endif
  request.wait();
}
