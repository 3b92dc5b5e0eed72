// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../collective/send_recv.hpp"
#include "over_mpi.hpp"

namespace perf {
namespace {
const offered_over_mpi<send_recv_case> here;
}
}  // namespace perf
