// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../collective/all_gather.hpp"
#include "over_mpi.hpp"

namespace perf {
namespace {
const offered_over_mpi<all_gather_case> here;
}
}  // namespace perf
