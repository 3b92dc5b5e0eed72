// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../collective/all_reduce.hpp"
#include "over_mpi.hpp"

namespace perf {
namespace {
const offered_over_mpi<all_reduce_case> here;
}
}  // namespace perf
