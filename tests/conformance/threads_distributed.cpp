// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_distributed.hpp"

TEST_CASE("threads: reproducible_reduce") { conformance::reproducible<conformance::threads>(); }
TEST_CASE("threads: buckets") { conformance::buckets<conformance::threads>(); }
TEST_CASE("threads: progress threads") { conformance::progress_threads<conformance::threads>(); }
