// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective reduce = collective_of<reduce_case>();

}  // namespace perf
