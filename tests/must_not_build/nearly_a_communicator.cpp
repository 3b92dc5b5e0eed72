// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: the first argument must be a communicator of tutti
#include <tutti/tutti.hpp>

#include <vector>

struct half_a_world {
  int rank() const { return 0; }
  int size() const { return 1; }
};
#if defined(TUTTI_MUST_BUILD)
using world = tutti::threads::communicator;
#else
using world = half_a_world;
#endif

void wrong(world& comm, std::vector<float>& data) { tutti::broadcast(comm, data, 0); }
