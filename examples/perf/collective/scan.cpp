// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective scan = collective_of<scan_case>();

}  // namespace perf
