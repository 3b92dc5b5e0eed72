// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_chunkings.hpp"

TEST_CASE("threads: all_reduce in every chunking") {
  conformance::every_chunking<tutti::collective::all_reduce, conformance::threads>();
}
TEST_CASE("threads: reduce in every chunking") {
  conformance::every_chunking<tutti::collective::reduce, conformance::threads>();
}
TEST_CASE("threads: reduce_scatter in every chunking") {
  conformance::every_chunking<tutti::collective::reduce_scatter, conformance::threads>();
}
