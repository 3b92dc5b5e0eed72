// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_distributed.hpp"

TEST_CASE("mpi: reproducible_reduce") { conformance::reproducible<conformance::mpi>(); }
TEST_CASE("mpi: buckets") { conformance::buckets<conformance::mpi>(); }
TEST_CASE("mpi: progress threads") { conformance::progress_threads<conformance::mpi>(); }
