// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: a call with objects can't be planned: nobody knows their lengths before it runs
#include <tutti/object.hpp>
#include <tutti/tutti.hpp>

#include <string>

void wrong(tutti::threads::communicator& world, std::string& value) {
#if defined(TUTTI_MUST_BUILD)
  tutti::broadcast_object(world, value);
#else
  (void)tutti::plan(world, [&](auto& comm) { tutti::broadcast_object(comm, value); });
#endif
}
