// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/mpi_world.hpp"

#include "conformance/cover_messages.hpp"

TEST_CASE("mpi: messages in a ring") { conformance::rings<conformance::mpi>(); }
TEST_CASE("mpi: sends that block") { conformance::blocking_sends<conformance::mpi>(); }
TEST_CASE("mpi: tags out of order") { conformance::tags<conformance::mpi>(); }
TEST_CASE("mpi: many messages under way") { conformance::many_under_way<conformance::mpi>(); }
TEST_CASE("mpi: messages to itself") { conformance::to_itself<conformance::mpi>(); }
TEST_CASE("mpi: messages between collectives") { conformance::mixed_with_collectives<conformance::mpi>(); }
TEST_CASE("mpi: cancelled receives") { conformance::cancelled_receives<conformance::mpi>(); }
TEST_CASE("mpi: messages that don't fit") { conformance::wrong_messages<conformance::mpi>(); }
TEST_CASE("mpi: messages that nobody takes") { conformance::forgotten_messages<conformance::mpi>(); }
