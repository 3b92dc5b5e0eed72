// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_messages.hpp"

TEST_CASE("threads: messages of every length") { conformance::messages_of_every_length<conformance::threads>(); }
TEST_CASE("threads: tags") { conformance::tags<conformance::threads>(); }
TEST_CASE("threads: sends that block") { conformance::blocking_sends<conformance::threads>(); }
TEST_CASE("threads: messages beside collectives") { conformance::messages_beside_collectives<conformance::threads>(); }
TEST_CASE("threads: messages that can't match") { conformance::messages_refused<conformance::threads>(); }
