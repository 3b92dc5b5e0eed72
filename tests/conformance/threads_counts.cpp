// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_counts.hpp"

TEST_CASE("threads: gather_v") { conformance::counted<tutti::collective::gather_v, conformance::threads>(); }
TEST_CASE("threads: scatter_v") { conformance::counted<tutti::collective::scatter_v, conformance::threads>(); }
TEST_CASE("threads: all_gather_v") { conformance::counted<tutti::collective::all_gather_v, conformance::threads>(); }
TEST_CASE("threads: reduce_scatter_v") {
  conformance::counted<tutti::collective::reduce_scatter_v, conformance::threads>();
}
TEST_CASE("threads: all_to_all_v") { conformance::counted<tutti::collective::all_to_all_v, conformance::threads>(); }
TEST_CASE("threads: wrong counts") { conformance::wrong_counts<conformance::threads>(); }
TEST_CASE("threads: refused counts") { conformance::refused_counts<conformance::threads>(); }
