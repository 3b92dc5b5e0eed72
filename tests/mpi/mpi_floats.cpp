// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_floats.hpp"

TEST_CASE("mpi: the same bits everywhere") { conformance::float_bits<conformance::mpi>(); }
TEST_CASE("mpi: NaN and signed zeros") { conformance::float_extremes<conformance::mpi>(); }
