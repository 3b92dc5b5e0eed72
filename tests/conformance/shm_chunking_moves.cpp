// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_chunkings.hpp"

TEST_CASE("shm: broadcast in every chunking") {
  conformance::every_chunking<tutti::collective::broadcast, conformance::shm>();
}
TEST_CASE("shm: all_gather in every chunking") {
  conformance::every_chunking<tutti::collective::all_gather, conformance::shm>();
}
TEST_CASE("shm: pipes") { conformance::pipes<conformance::shm>(); }
