// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "broadcast.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective broadcast = collective_of<broadcast_case>();

}  // namespace perf
