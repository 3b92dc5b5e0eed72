// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_chunkings.hpp"

TEST_CASE("mpi: broadcast in every chunking") {
  conformance::every_chunking<tutti::collective::broadcast, conformance::mpi>();
}
TEST_CASE("mpi: all_gather in every chunking") {
  conformance::every_chunking<tutti::collective::all_gather, conformance::mpi>();
}
TEST_CASE("mpi: pipes") { conformance::pipes<conformance::mpi>(); }
