// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_counts.hpp"

TEST_CASE("shm: all_gather_v") { conformance::counted<tutti::collective::all_gather_v, conformance::shm>(); }
TEST_CASE("shm: all_to_all_v") { conformance::counted<tutti::collective::all_to_all_v, conformance::shm>(); }
TEST_CASE("shm: wrong counts") { conformance::wrong_counts<conformance::shm>(); }
#if !TUTTI_REDUCED  // sanitizers have seen the rest with threads
TEST_CASE("shm: gather_v") { conformance::counted<tutti::collective::gather_v, conformance::shm>(); }
TEST_CASE("shm: scatter_v") { conformance::counted<tutti::collective::scatter_v, conformance::shm>(); }
TEST_CASE("shm: reduce_scatter_v") { conformance::counted<tutti::collective::reduce_scatter_v, conformance::shm>(); }
TEST_CASE("shm: refused counts") { conformance::refused_counts<conformance::shm>(); }
#endif
