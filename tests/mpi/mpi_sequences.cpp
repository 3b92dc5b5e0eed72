// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_sequences.hpp"

TEST_CASE("mpi: random sequences without barriers") { conformance::random_sequences<conformance::mpi>(); }
TEST_CASE("mpi: alternating lengths") { conformance::alternating_lengths<conformance::mpi>(); }
