// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: this one stands on none
#include <tutti/tutti.hpp>

// Nor could it let them meet.
void call(tutti::threads::communicator& comm) {
#if defined(TUTTI_MUST_BUILD)
  tutti::barrier(comm);
#else
  tutti::barrier(comm, tutti::native{});
#endif
}
