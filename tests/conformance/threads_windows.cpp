// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_windows.hpp"

TEST_CASE("threads: memory is changed at once") { conformance::windows_in_haste<conformance::threads>(); }
