// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_cancel.hpp"
#include "cover_requests.hpp"

TEST_CASE("shm: requests that own, requests that are dropped") { conformance::owned_and_dropped<conformance::shm>(); }
#if !TUTTI_REDUCED  // sanitizers have seen the rest with threads
TEST_CASE("shm: requests do what calls do") { conformance::requests_as_calls<conformance::shm>(); }
TEST_CASE("shm: waiting in any order") { conformance::waits_in_any_order<conformance::shm>(); }
TEST_CASE("shm: plans") { conformance::plans<conformance::shm>(); }
TEST_CASE("shm: a collective that one rank cancels") { conformance::cancelled_collectives<conformance::shm>(); }
#endif
