// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../collective/exclusive_scan.hpp"
#include "over_mpi.hpp"

namespace perf {
namespace {
const offered_over_mpi<exclusive_scan_case> here;
}
}  // namespace perf
