// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_movements.hpp"

TEST_CASE("mpi: gather") { conformance::movements<tutti::collective::gather, conformance::mpi>(); }
TEST_CASE("mpi: scatter") { conformance::movements<tutti::collective::scatter, conformance::mpi>(); }
TEST_CASE("mpi: all_to_all") { conformance::movements<tutti::collective::all_to_all, conformance::mpi>(); }
TEST_CASE("mpi: movements that return vectors") { conformance::returned_movements<conformance::mpi>(); }
