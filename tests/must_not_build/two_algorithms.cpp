// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: a call takes one algorithm
#include <tutti/tutti.hpp>

#include <vector>

void wrong(tutti::threads::communicator& comm, std::vector<float>& data) {
#if defined(TUTTI_MUST_BUILD)
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::tree{});
#else
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::ring{}, tutti::tree{});
#endif
}
