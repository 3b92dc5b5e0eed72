// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Over tutti::hybrid automatic and native are built, on one type: what else there is mpi and shm have.
#include "../candidates.hpp"
#include "../collective/all_gather.hpp"
#include "../collective/all_reduce.hpp"
#include "../collective/all_to_all.hpp"
#include "../collective/barrier.hpp"
#include "../collective/broadcast.hpp"
#include "../collective/exclusive_scan.hpp"
#include "../collective/gather.hpp"
#include "../collective/reduce.hpp"
#include "../collective/reduce_scatter.hpp"
#include "../collective/scan.hpp"
#include "../collective/scatter.hpp"
#include "../collective/send_recv.hpp"
#include "../offer.hpp"

#include <tutti/hybrid.hpp>

namespace perf {
namespace {

template <class... Collectives>
struct offered_over_hybrid {
  offered_over_hybrid() {
    (offers_over("hybrid").emplace(Collectives::name, offered<Collectives, tutti::hybrid::communicator>::table()), ...);
  }
};

const offered_over_hybrid<all_reduce_case, reduce_case, broadcast_case, reduce_scatter_case, all_gather_case,
                          gather_case, scatter_case, all_to_all_case, scan_case, exclusive_scan_case, send_recv_case,
                          barrier_case>
    here;

}  // namespace
}  // namespace perf
