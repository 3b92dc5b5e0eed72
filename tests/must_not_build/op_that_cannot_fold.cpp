// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: the operator can't fold this element type: it needs op(element, element) -> element, or lift, combine and lower
#include <tutti/tutti.hpp>

#include <vector>

struct pixel {
  unsigned char red, green, blue;
};

void wrong(tutti::threads::communicator& comm, std::vector<pixel>& image) {
#if defined(TUTTI_MUST_BUILD)
  tutti::all_reduce(comm, image, [](pixel a, pixel b) { return a.red > b.red ? a : b; });
#else
  tutti::all_reduce(comm, image, tutti::sum{});  // pixels can't be added
#endif
}
