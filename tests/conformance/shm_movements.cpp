// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_movements.hpp"

TEST_CASE("shm: gather") { conformance::movements<tutti::collective::gather, conformance::shm>(); }
TEST_CASE("shm: scatter") { conformance::movements<tutti::collective::scatter, conformance::shm>(); }
TEST_CASE("shm: all_to_all") { conformance::movements<tutti::collective::all_to_all, conformance::shm>(); }
TEST_CASE("shm: movements that return vectors") { conformance::returned_movements<conformance::shm>(); }
