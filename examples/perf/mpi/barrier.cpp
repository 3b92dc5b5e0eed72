// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../collective/barrier.hpp"
#include "over_mpi.hpp"

namespace perf {
namespace {
const offered_over_mpi<barrier_case> here;
}
}  // namespace perf
