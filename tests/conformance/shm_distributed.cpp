// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_distributed.hpp"

TEST_CASE("shm: reproducible_reduce") { conformance::reproducible<conformance::shm>(); }
TEST_CASE("shm: buckets") { conformance::buckets<conformance::shm>(); }
TEST_CASE("shm: progress threads") { conformance::progress_threads<conformance::shm>(); }
