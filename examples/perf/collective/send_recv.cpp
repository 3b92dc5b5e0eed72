// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "send_recv.hpp"

#include "../measure.hpp"

namespace perf {

constinit const collective send_recv = collective_of<send_recv_case>();

}  // namespace perf
