// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this algorithm (ring, ...) folds out of rank order; wrap the operator in tutti::commutative(op), or use direct, tree or one_phase
#include <tutti/tutti.hpp>

#include <vector>

void wrong(tutti::threads::communicator& comm, std::vector<float>& data) {
  const auto larger = [](float a, float b) { return a > b ? a : b; };
#if defined(TUTTI_MUST_BUILD)
  tutti::all_reduce<tutti::ring>(comm, data, tutti::commutative(larger));
#else
  tutti::all_reduce<tutti::ring>(comm, data, larger);
#endif
}
