// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is measured of Gloo: the collectives that it has as functions, by the algorithms that it takes by itself.
#include "../case.hpp"
#include "../collective/all_gather.hpp"
#include "../collective/all_reduce.hpp"
#include "../collective/all_to_all.hpp"
#include "../collective/barrier.hpp"
#include "../collective/broadcast.hpp"
#include "../collective/reduce.hpp"
#include "../offer.hpp"
#include "../oracle.hpp"

#include <tutti/algorithm/native.hpp>

#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/context.h>
#include <gloo/math.h>
#include <gloo/reduce.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace perf {
namespace {

using shared_context = std::shared_ptr<gloo::Context>;
using fold = void (*)(void*, const void*, const void*, std::size_t);

/// As its users in PyTorch choose it: by the type, at run time.
template <class Element, class Op>
constexpr fold fold_of() {
  if constexpr (!std::is_arithmetic_v<Element> || sizeof(Element) < 4)
    return nullptr;
  else if constexpr (std::is_same_v<Op, tutti::sum>)
    return &gloo::sum<Element>;
  else if constexpr (std::is_same_v<Op, tutti::prod>)
    return &gloo::product<Element>;
  else if constexpr (std::is_same_v<Op, tutti::min>)
    return &gloo::min<Element>;
  else if constexpr (std::is_same_v<Op, tutti::max>)
    return &gloo::max<Element>;
  else
    return nullptr;
}
constexpr const char* what_is_built_over_gloo = "ops sum, prod, min and max on types of 4 and 8 bytes";

/// Gloo takes what it only reads as something that it may change.
template <class Element>
Element* changeable(const void* in) {
  return const_cast<Element*>(static_cast<const Element*>(in));
}

/// The operands of a reduction; input is left out where the result replaces it.
template <class Element, class Op, class Options>
void reduces(Options& how, const raw_operands& given, bool has_result, std::size_t count) {
  if (!given.in_place || !has_result) how.setInput(changeable<Element>(given.in), count);
  if (has_result) how.setOutput(static_cast<Element*>(given.out), count);
  how.setReduceFunction(fold_of<Element, Op>());
}

template <class Element, class Op>
void call(all_reduce_case, shared_context& comm, const raw_operands& given) {
  gloo::AllreduceOptions how(comm);
  reduces<Element, Op>(how, given, true, given.in_count);
  gloo::allreduce(how);
}

template <class Element, class Op>
void call(reduce_case, shared_context& comm, const raw_operands& given) {
  gloo::ReduceOptions how(comm);
  reduces<Element, Op>(how, given, comm->rank == given.root, given.in_count);
  if (comm->rank != given.root) {  // it folds there, too
    static thread_local std::vector<Element> partial;
    partial.resize(given.in_count);
    how.setOutput(partial.data(), given.in_count);
  }
  how.setRoot(given.root);
  gloo::reduce(how);
}

template <class Element, class>
void call(broadcast_case, shared_context& comm, const raw_operands& given) {
  gloo::BroadcastOptions how(comm);
  how.setOutput(static_cast<Element*>(given.out), given.out_count);
  if (comm->rank == given.root && !given.in_place) how.setInput(changeable<Element>(given.in), given.in_count);
  how.setRoot(given.root);
  gloo::broadcast(how);
}

template <class Element, class>
void call(all_gather_case, shared_context& comm, const raw_operands& given) {
  gloo::AllgathervOptions how(comm);
  std::vector<std::size_t> counts;
  for (int rank = 0; rank < comm->size; ++rank)
    counts.push_back(part_of({rank, comm->size, 0, given.out_count, 0, false}, rank).count);
  how.setInput(changeable<Element>(given.in), given.in_count);
  how.setOutput(static_cast<Element*>(given.out), counts);
  gloo::allgatherv(how);
}

template <class Element, class>
void call(all_to_all_case, shared_context& comm, const raw_operands& given) {
  gloo::AlltoallOptions how(comm);
  how.setInput(changeable<Element>(given.in), given.in_count);
  how.setOutput(static_cast<Element*>(given.out), given.out_count);
  gloo::alltoall(how);
}

template <class, class>
void call(barrier_case, shared_context& comm, const raw_operands&) {
  gloo::BarrierOptions how(comm);
  gloo::barrier(how);
}

template <class Collective>
struct offered_by_gloo {
  static std::vector<const char*> algorithms() { return {tutti::native::name}; }

  template <class Use>
  static void with(std::string_view type, std::string_view op, Use&& use) {
    with_pair<Collective>(type, op,
                          [&]<class Element, class Op>(std::type_identity<Element> one, std::type_identity<Op> two) {
                            if constexpr (!Collective::reduces || fold_of<Element, Op>() != nullptr) use(one, two);
                          });
  }
  static bool builds(std::string_view type, std::string_view op) {
    bool found = false;
    with(type, op, [&](auto, auto) { found = true; });
    return found;
  }
  static std::vector<candidate> candidates(const options& chosen, std::string_view) {
    std::vector<candidate> all;
    with(chosen.type, chosen.op, [&]<class Element, class Op>(std::type_identity<Element>, std::type_identity<Op>) {
      all.push_back({tutti::native::name, [](void* comm, const raw_operands& given) {
                       call<Element, Op>(Collective{}, *static_cast<shared_context*>(comm), given);
                     }});
    });
    return all;
  }
};

template <class... Collectives>
struct offered_over_gloo {
  offered_over_gloo() {
    (offers_over("gloo").emplace(Collectives::name,
                                 offer{&offered_by_gloo<Collectives>::algorithms, &offered_by_gloo<Collectives>::builds,
                                       Collectives::reduces ? what_is_built_over_gloo : what_is_built,
                                       &offered_by_gloo<Collectives>::candidates}),
     ...);
  }
};

const offered_over_gloo<all_reduce_case, reduce_case, broadcast_case, all_gather_case, all_to_all_case, barrier_case>
    here;

}  // namespace
}  // namespace perf
