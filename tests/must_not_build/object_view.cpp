// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: this type can't be sent as an object: a view doesn't own what it shows; send the container (std::string, std::vector)
#include <tutti/object/codec.hpp>

#include <string>
#include <string_view>

#if defined(TUTTI_MUST_BUILD)
using text = std::string;
#else
using text = std::string_view;
#endif

tutti::packed wrong(const text& value) { return tutti::pack(value); }
