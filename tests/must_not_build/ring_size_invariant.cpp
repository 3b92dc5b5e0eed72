// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: folds an element in an order that depends on its place
#include <tutti/tutti.hpp>

// A sum that must not depend on the length, from an algorithm that can't promise it.
void call(tutti::threads::communicator& comm, float (&data)[8]) {
#if defined(TUTTI_MUST_BUILD)
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::ring{}, tutti::run_to_run);
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::direct{}, tutti::size_invariant);
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::size_invariant);
#else
  tutti::all_reduce(comm, data, tutti::sum{}, tutti::ring{}, tutti::size_invariant);
#endif
}
