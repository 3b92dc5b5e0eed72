// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scatter.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective scatter = collective_of<scatter_case>();

}  // namespace perf
