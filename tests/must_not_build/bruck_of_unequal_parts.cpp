// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this algorithm doesn't serve this collective
#include <tutti/tutti.hpp>

#include <vector>

// Ranks on the way must know how long a part is.
void call(tutti::threads::communicator& comm, std::vector<int>& in, std::vector<std::size_t>& counts) {
#if defined(TUTTI_MUST_BUILD)
  tutti::all_to_all_v(comm, in, counts, tutti::pairwise{});
#else
  tutti::all_to_all_v(comm, in, counts, tutti::bruck{});
#endif
}
