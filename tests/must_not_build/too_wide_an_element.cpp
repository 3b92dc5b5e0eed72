// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: an element (or accumulator) must fit into one message of this transport
#include <tutti/tutti.hpp>

#include <vector>

struct wide {
#if defined(TUTTI_MUST_BUILD)
  char bytes[1000];
#else
  char bytes[1000000];
#endif
};

void wrong(tutti::threads::communicator& comm, std::vector<wide>& data) {
  tutti::broadcast<tutti::ring>(comm, data, 0);
}
