// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "barrier.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective barrier = collective_of<barrier_case>();

}  // namespace perf
