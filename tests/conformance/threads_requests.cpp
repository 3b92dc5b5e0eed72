// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_requests.hpp"

TEST_CASE("threads: requests do what calls do") { conformance::requests_as_calls<conformance::threads>(); }
TEST_CASE("threads: requests that own, requests that are dropped") {
  conformance::owned_and_dropped<conformance::threads>();
}
TEST_CASE("threads: waiting in any order") { conformance::waits_in_any_order<conformance::threads>(); }
TEST_CASE("threads: plans") { conformance::plans<conformance::threads>(); }
