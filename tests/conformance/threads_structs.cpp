// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_types.hpp"

TEST_CASE("threads: element types that are structs") { conformance::struct_types<conformance::threads>(); }
