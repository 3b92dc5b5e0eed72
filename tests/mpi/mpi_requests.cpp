// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_cancel.hpp"
#include "conformance/cover_requests.hpp"

TEST_CASE("mpi: requests that own, requests that are dropped") { conformance::owned_and_dropped<conformance::mpi>(); }
TEST_CASE("mpi: requests do what calls do") { conformance::requests_as_calls<conformance::mpi>(); }
TEST_CASE("mpi: waiting in any order") { conformance::waits_in_any_order<conformance::mpi>(); }
TEST_CASE("mpi: plans") { conformance::plans<conformance::mpi>(); }
TEST_CASE("mpi: a collective that one rank cancels") { conformance::cancelled_collectives<conformance::mpi>(); }
