// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_scans.hpp"

TEST_CASE("shm: scan") { conformance::scans<tutti::collective::scan, conformance::shm>(); }
TEST_CASE("shm: exclusive_scan") { conformance::scans<tutti::collective::exclusive_scan, conformance::shm>(); }
