// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_scans.hpp"

TEST_CASE("mpi: scan") { conformance::scans<tutti::collective::scan, conformance::mpi>(); }
TEST_CASE("mpi: exclusive_scan") { conformance::scans<tutti::collective::exclusive_scan, conformance::mpi>(); }
