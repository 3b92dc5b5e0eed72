// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: both ranges must have the same element type
#include <tutti/tutti.hpp>

#include <vector>

#if defined(TUTTI_MUST_BUILD)
using result = float;
#else
using result = int;
#endif

void wrong(tutti::threads::communicator& comm, const std::vector<float>& in, std::vector<result>& out) {
  tutti::reduce_scatter(comm, in, out, tutti::sum{});
}
