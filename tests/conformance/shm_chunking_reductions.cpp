// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_chunkings.hpp"

TEST_CASE("shm: all_reduce in every chunking") {
  conformance::every_chunking<tutti::collective::all_reduce, conformance::shm>();
}
TEST_CASE("shm: reduce in every chunking") {
  conformance::every_chunking<tutti::collective::reduce, conformance::shm>();
}
TEST_CASE("shm: reduce_scatter in every chunking") {
  conformance::every_chunking<tutti::collective::reduce_scatter, conformance::shm>();
}
