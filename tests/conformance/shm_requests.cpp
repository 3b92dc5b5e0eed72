// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_requests.hpp"

TEST_CASE("shm: requests give what calls give") { conformance::requests_equal_calls<conformance::shm>(); }
TEST_CASE("shm: requests in any order") { conformance::requests_in_any_order<conformance::shm>(); }
TEST_CASE("shm: wait_for and cancel") { conformance::requests_wait_for<conformance::shm>(); }
TEST_CASE("shm: plans") { conformance::plans<conformance::shm>(); }
