// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_calls.hpp"

TEST_CASE("threads: barriers") { conformance::barriers<conformance::threads>(); }
TEST_CASE("threads: calls without memory") { conformance::empty_calls<conformance::threads>(); }
TEST_CASE("threads: other forms of the calls") { conformance::other_forms<conformance::threads>(); }
TEST_CASE("threads: refused calls") { conformance::refusals<conformance::threads>(); }
