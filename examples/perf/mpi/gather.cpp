// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../collective/gather.hpp"
#include "over_mpi.hpp"

namespace perf {
namespace {
const offered_over_mpi<gather_case> here;
}
}  // namespace perf
