// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: elements travel as bytes, so their type must be trivially copyable
#include <tutti/tutti.hpp>

#include <string>
#include <vector>

#if defined(TUTTI_MUST_BUILD)
using element = int;
#else
using element = std::string;
#endif

void wrong(tutti::threads::communicator& comm, std::vector<element>& data) {
  tutti::all_reduce(comm, data, [](const element& a, const element& b) { return a + b; });
}
