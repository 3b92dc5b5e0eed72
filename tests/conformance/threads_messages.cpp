// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_messages.hpp"

TEST_CASE("threads: messages in a ring") { conformance::rings<conformance::threads>(); }
TEST_CASE("threads: sends that block") { conformance::blocking_sends<conformance::threads>(); }
TEST_CASE("threads: tags out of order") { conformance::tags<conformance::threads>(); }
TEST_CASE("threads: many messages under way") { conformance::many_under_way<conformance::threads>(); }
TEST_CASE("threads: messages to itself") { conformance::to_itself<conformance::threads>(); }
TEST_CASE("threads: messages between collectives") { conformance::mixed_with_collectives<conformance::threads>(); }
TEST_CASE("threads: cancelled receives") { conformance::cancelled_receives<conformance::threads>(); }
TEST_CASE("threads: messages that don't fit") { conformance::wrong_messages<conformance::threads>(); }
TEST_CASE("threads: messages that nobody takes") { conformance::forgotten_messages<conformance::threads>(); }
