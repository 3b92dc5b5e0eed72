// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_chunkings.hpp"

TEST_CASE("threads: broadcast in every chunking") {
  conformance::every_chunking<tutti::collective::broadcast, conformance::threads>();
}
TEST_CASE("threads: all_gather in every chunking") {
  conformance::every_chunking<tutti::collective::all_gather, conformance::threads>();
}
TEST_CASE("threads: pipes") { conformance::pipes<conformance::threads>(); }
