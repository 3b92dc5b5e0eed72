// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cover_scans.hpp"

TEST_CASE("threads: scan") { conformance::scans<tutti::collective::scan, conformance::threads>(); }
TEST_CASE("threads: exclusive_scan") { conformance::scans<tutti::collective::exclusive_scan, conformance::threads>(); }
