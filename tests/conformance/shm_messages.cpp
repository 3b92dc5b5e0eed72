// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_messages.hpp"

TEST_CASE("shm: messages in a ring") { conformance::rings<conformance::shm>(); }
TEST_CASE("shm: sends that block") { conformance::blocking_sends<conformance::shm>(); }
TEST_CASE("shm: tags out of order") { conformance::tags<conformance::shm>(); }
TEST_CASE("shm: many messages under way") { conformance::many_under_way<conformance::shm>(); }
TEST_CASE("shm: messages to itself") { conformance::to_itself<conformance::shm>(); }
TEST_CASE("shm: messages between collectives") { conformance::mixed_with_collectives<conformance::shm>(); }
TEST_CASE("shm: cancelled receives") { conformance::cancelled_receives<conformance::shm>(); }
TEST_CASE("shm: messages that don't fit") { conformance::wrong_messages<conformance::shm>(); }
TEST_CASE("shm: messages that nobody takes") { conformance::forgotten_messages<conformance::shm>(); }
