// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: chunked<Bytes> needs at least one byte
#include <tutti/tutti.hpp>

#include <vector>

#if defined(TUTTI_MUST_BUILD)
constexpr std::size_t bytes = 1;
#else
constexpr std::size_t bytes = 0;
#endif

void wrong(tutti::threads::communicator& comm, std::vector<float>& data) {
  tutti::all_reduce<tutti::ring, tutti::chunked<bytes>>(comm, data, tutti::sum{});
}
