// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One file, as reductions.cu.
#include "../collective/all_gather.hpp"
#include "../collective/all_to_all.hpp"
#include "../collective/barrier.hpp"
#include "../collective/broadcast.hpp"
#include "../collective/gather.hpp"
#include "../collective/scatter.hpp"
#include "../collective/send_recv.hpp"
#include "measure.hpp"

namespace perf {

constinit const collective broadcast = collective_on_streams<broadcast_case>();
constinit const collective all_gather = collective_on_streams<all_gather_case>();
constinit const collective gather = collective_on_streams<gather_case>();
constinit const collective scatter = collective_on_streams<scatter_case>();
constinit const collective all_to_all = collective_on_streams<all_to_all_case>();
constinit const collective barrier = collective_on_streams<barrier_case>();
constinit const collective send_recv = not_on_streams<send_recv_case>();

}  // namespace perf
