// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_chunkings.hpp"

TEST_CASE("mpi: all_reduce in every chunking") {
  conformance::every_chunking<tutti::collective::all_reduce, conformance::mpi>();
}
TEST_CASE("mpi: reduce in every chunking") {
  conformance::every_chunking<tutti::collective::reduce, conformance::mpi>();
}
TEST_CASE("mpi: reduce_scatter in every chunking") {
  conformance::every_chunking<tutti::collective::reduce_scatter, conformance::mpi>();
}
