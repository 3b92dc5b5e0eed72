// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One file: the kernels of a type and operator are the same for all of them, and take longest to compile.
#include "../collective/all_reduce.hpp"
#include "../collective/exclusive_scan.hpp"
#include "../collective/reduce.hpp"
#include "../collective/reduce_scatter.hpp"
#include "../collective/scan.hpp"
#include "measure.hpp"

namespace perf {

constinit const collective all_reduce = collective_on_streams<all_reduce_case>();
constinit const collective reduce = collective_on_streams<reduce_case>();
constinit const collective reduce_scatter = collective_on_streams<reduce_scatter_case>();
constinit const collective scan = collective_on_streams<scan_case>();
constinit const collective exclusive_scan = collective_on_streams<exclusive_scan_case>();

}  // namespace perf
