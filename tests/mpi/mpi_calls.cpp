// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_calls.hpp"

TEST_CASE("mpi: barriers") { conformance::barriers<conformance::mpi>(); }
TEST_CASE("mpi: calls without memory") { conformance::empty_calls<conformance::mpi>(); }
TEST_CASE("mpi: other forms of the calls") { conformance::other_forms<conformance::mpi>(); }
TEST_CASE("mpi: refused calls") { conformance::refusals<conformance::mpi>(); }
