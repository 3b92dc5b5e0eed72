// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: the operator can't fold this element type: it needs op(element, element) -> element, or lift, combine and lower
#include <tutti/tutti.hpp>

#include <vector>

struct mean {
  struct accumulator {
    double total;
    long count;
  };
  accumulator lift(float value) const { return {double(value), 1}; }
  accumulator combine(accumulator a, accumulator b) const { return {a.total + b.total, a.count + b.count}; }
#if defined(TUTTI_MUST_BUILD)
  float lower(accumulator all, int) const { return float(all.total / double(all.count)); }
#endif
};

void wrong(tutti::threads::communicator& comm, std::vector<float>& data) { tutti::all_reduce(comm, data, mean{}); }
