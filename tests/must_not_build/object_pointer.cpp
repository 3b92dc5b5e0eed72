// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this type can't be sent as an object: a pointer means nothing on another rank; send what it points to
#include <tutti/object/codec.hpp>

#include <vector>

#if defined(TUTTI_MUST_BUILD)
using element = int;
#else
using element = int*;
#endif

tutti::packed wrong(const std::vector<element>& value) { return tutti::pack(value); }
