// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_calls.hpp"

TEST_CASE("shm: barriers") { conformance::barriers<conformance::shm>(); }
TEST_CASE("shm: calls without memory") { conformance::empty_calls<conformance::shm>(); }
TEST_CASE("shm: other forms of the calls") { conformance::other_forms<conformance::shm>(); }
TEST_CASE("shm: refused calls") { conformance::refusals<conformance::shm>(); }
