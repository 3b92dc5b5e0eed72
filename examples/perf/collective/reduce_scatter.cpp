// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_scatter.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective reduce_scatter = collective_of<reduce_scatter_case>();

}  // namespace perf
