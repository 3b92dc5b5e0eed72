// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this range is const, and the result goes there; give the call another range for it
#include <tutti/tutti.hpp>

#include <vector>

#if defined(TUTTI_MUST_BUILD)
using range = std::vector<float>;
#else
using range = const std::vector<float>;
#endif

void wrong(tutti::threads::communicator& comm, range& data) { tutti::broadcast(comm, data, 0); }
