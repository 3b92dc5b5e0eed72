// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_types.hpp"

TEST_CASE("shm: arithmetic element types") { conformance::arithmetic_types<conformance::shm>(); }
