// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_movements.hpp"

TEST_CASE("threads: gather") { conformance::movements<tutti::collective::gather, conformance::threads>(); }
TEST_CASE("threads: scatter") { conformance::movements<tutti::collective::scatter, conformance::threads>(); }
TEST_CASE("threads: all_to_all") { conformance::movements<tutti::collective::all_to_all, conformance::threads>(); }
TEST_CASE("threads: movements that return vectors") { conformance::returned_movements<conformance::threads>(); }
