// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: the first argument must be a communicator of tutti
#include <tutti/tutti.hpp>

#if defined(TUTTI_MUST_BUILD)
using world = tutti::threads::communicator;
#else
struct world {};
#endif

void wrong(world& comm) { tutti::barrier(comm); }
