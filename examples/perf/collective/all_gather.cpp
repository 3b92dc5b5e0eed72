// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "all_gather.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective all_gather = collective_of<all_gather_case>();

}  // namespace perf
