// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "all_reduce.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective all_reduce = collective_of<all_reduce_case>();

}  // namespace perf
