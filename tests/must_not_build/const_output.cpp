// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this range is const, and the result goes there; give the call another range for it
#include <tutti/tutti.hpp>

#include <span>
#include <vector>

#if defined(TUTTI_MUST_BUILD)
using output = std::span<float>;
#else
using output = std::span<const float>;
#endif

void wrong(tutti::threads::communicator& comm, const std::vector<float>& in, output out) {
  tutti::all_reduce(comm, in, out, tutti::sum{});
}
