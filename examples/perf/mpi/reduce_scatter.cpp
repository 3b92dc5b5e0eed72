// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../collective/reduce_scatter.hpp"
#include "over_mpi.hpp"

namespace perf {
namespace {
const offered_over_mpi<reduce_scatter_case> here;
}
}  // namespace perf
