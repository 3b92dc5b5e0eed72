// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this range is const, and the result goes there; give the call another range for it
#include <tutti/tutti.hpp>

#include <vector>

void wrong(tutti::threads::communicator& comm, const std::vector<float>& data) {
#if defined(TUTTI_MUST_BUILD)
  std::vector<float> out(data.size());
  tutti::all_reduce(comm, data, out, tutti::sum{});
#else
  tutti::all_reduce(comm, data, tutti::sum{});
#endif
}
