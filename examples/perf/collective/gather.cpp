// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gather.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective gather = collective_of<gather_case>();

}  // namespace perf
