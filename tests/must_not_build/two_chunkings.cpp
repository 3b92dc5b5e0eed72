// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: a call takes one chunking policy
#include <tutti/tutti.hpp>

#include <vector>

void wrong(tutti::threads::communicator& comm, std::vector<float>& data) {
#if defined(TUTTI_MUST_BUILD)
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::whole{}, tutti::ring{});
#else
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::whole{}, tutti::ring{}, tutti::chunked<1024>{});
#endif
}
