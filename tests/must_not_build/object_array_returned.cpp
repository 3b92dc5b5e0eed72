// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: a C array (or string literal) can't be returned; give the call a std::array or std::string
#include <tutti/object.hpp>
#include <tutti/tutti.hpp>

#include <string>

#if defined(TUTTI_MUST_BUILD)
using text = std::string;
#else
using text = char[4];
#endif

void wrong(tutti::threads::communicator& comm, const text& value) { tutti::all_gather_object(comm, value); }
