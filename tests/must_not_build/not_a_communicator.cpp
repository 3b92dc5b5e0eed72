// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: the first argument must be a communicator of tutti
#include <tutti/tutti.hpp>

#include <vector>

#if defined(TUTTI_MUST_BUILD)
using world = tutti::threads::communicator;
#else
using world = int;
#endif

void wrong(world& comm, std::vector<float>& data) { tutti::all_reduce(comm, data, tutti::sum{}); }
