// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_counts.hpp"

TEST_CASE("mpi: all_gather_v") { conformance::counted<tutti::collective::all_gather_v, conformance::mpi>(); }
TEST_CASE("mpi: all_to_all_v") { conformance::counted<tutti::collective::all_to_all_v, conformance::mpi>(); }
TEST_CASE("mpi: wrong counts") { conformance::wrong_counts<conformance::mpi>(); }
TEST_CASE("mpi: gather_v") { conformance::counted<tutti::collective::gather_v, conformance::mpi>(); }
TEST_CASE("mpi: scatter_v") { conformance::counted<tutti::collective::scatter_v, conformance::mpi>(); }
TEST_CASE("mpi: reduce_scatter_v") { conformance::counted<tutti::collective::reduce_scatter_v, conformance::mpi>(); }
TEST_CASE("mpi: refused counts") { conformance::refused_counts<conformance::mpi>(); }
