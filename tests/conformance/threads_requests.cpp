// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_requests.hpp"

TEST_CASE("threads: requests give what calls give") { conformance::requests_equal_calls<conformance::threads>(); }
TEST_CASE("threads: requests in any order") { conformance::requests_in_any_order<conformance::threads>(); }
TEST_CASE("threads: wait_for and cancel") { conformance::requests_wait_for<conformance::threads>(); }
TEST_CASE("threads: plans") { conformance::plans<conformance::threads>(); }
