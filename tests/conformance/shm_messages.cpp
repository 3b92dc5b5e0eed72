// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_messages.hpp"

TEST_CASE("shm: messages of every length") { conformance::messages_of_every_length<conformance::shm>(); }
TEST_CASE("shm: tags") { conformance::tags<conformance::shm>(); }
TEST_CASE("shm: sends that block") { conformance::blocking_sends<conformance::shm>(); }
TEST_CASE("shm: messages beside collectives") { conformance::messages_beside_collectives<conformance::shm>(); }
TEST_CASE("shm: messages that can't match") { conformance::messages_refused<conformance::shm>(); }
