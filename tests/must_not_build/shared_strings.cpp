// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: shared memory holds trivially copyable types only
#include <tutti/tutti.hpp>

#include <string>

#if defined(TUTTI_MUST_BUILD)
using element = char;
#else
using element = std::string;
#endif

void wrong(tutti::shm::communicator& comm) { auto memory = comm.allocate<element>(10); }
