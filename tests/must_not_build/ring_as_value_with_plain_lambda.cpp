// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this algorithm (ring, ...) folds out of rank order; wrap the operator in tutti::commutative(op), or use direct, tree or one_phase
#include <tutti/tutti.hpp>

#include <vector>

void wrong(tutti::shm::communicator& comm, const std::vector<int>& in, std::vector<int>& out) {
  const auto left = [](int a, int) { return a; };
#if defined(TUTTI_MUST_BUILD)
  tutti::reduce(comm, in, out, left, 0, tutti::direct{});
#else
  tutti::reduce(comm, in, out, left, 0, tutti::ring{});
#endif
}
