// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: knomial<K> takes a K from 2 to 1024
#include <tutti/tutti.hpp>

#include <vector>

#if defined(TUTTI_MUST_BUILD)
constexpr int children = 2;
#else
constexpr int children = 1;
#endif

void wrong(tutti::threads::communicator& comm, std::vector<float>& data) {
  tutti::all_reduce<tutti::knomial<children>>(comm, data, tutti::sum{});
}
