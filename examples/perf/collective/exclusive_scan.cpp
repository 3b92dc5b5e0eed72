// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exclusive_scan.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective exclusive_scan = collective_of<exclusive_scan_case>();

}  // namespace perf
