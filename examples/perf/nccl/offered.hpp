// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../buffers.hpp"
#include "../case.hpp"
#include "../offer.hpp"
#include "../types.hpp"
#include "gpu.hpp"

#include <tutti/algorithm/list.hpp>
#include <tutti/algorithm/native.hpp>
#include <tutti/algorithm/supports.hpp>
#include <tutti/engine/device/stream_engine.hpp>
#include <tutti/transport/nccl.hpp>

#include <string_view>
#include <type_traits>
#include <vector>

namespace perf {

/// What streams offer of a collective: a candidate's comm is a gpu. All pairs of types.hpp are built, as on processors;
/// native where NCCL has the operator and the type.
template <class Collective>
struct offered_on_streams {
  using communicator = tutti::nccl::stream_communicator;

  template <class Each>
  static void for_each_algorithm(Each&& each) {
    if constexpr (chooses_algorithm<Collective>) {
      tutti::every_algorithm::for_each([&]<class Algorithm>(Algorithm algorithm) {
        if constexpr (tutti::algorithm_choice<Algorithm> || serves<Algorithm>()) each(algorithm);
      });
      if constexpr (has_native()) each(tutti::native{});
    } else {
      each(tutti::automatic{});
    }
  }
  static std::vector<const char*> algorithms() {
    std::vector<const char*> names;
    for_each_algorithm([&](auto algorithm) { names.push_back(algorithm.name); });
    return names;
  }

  static bool builds(std::string_view type, std::string_view op) {
    bool found = false;
    with_pair<Collective>(type, op, [&](auto, auto) { found = true; });
    return found;
  }

  static std::vector<candidate> candidates(const options& chosen, std::string_view algorithm) {
    std::vector<candidate> all;
    with_pair<Collective>(chosen.type, chosen.op,
                          [&]<class Element, class Op>(std::type_identity<Element>, std::type_identity<Op>) {
                            for_each_algorithm([&]<class Algorithm>(Algorithm) {
                              if constexpr (is_offered<Element, Op, Algorithm>())
                                if (algorithm == "all" || algorithm == Algorithm::name)
                                  all.push_back({Algorithm::name, &call<Element, Op, Algorithm>, nullptr});
                            });
                          });
    return all;
  }

  static constexpr offer table() { return {&algorithms, &builds, what_is_built, &candidates}; }

 private:
  template <class Algorithm>
  static constexpr bool serves() {
    return tutti::supports<communicator, Algorithm, typename Collective::tag, float, tutti::sum>;
  }
  /// NCCL has no scans.
  static constexpr bool has_native() { return serves<tutti::native>() && !Collective::tag::prefix; }

  template <class Element, class Op, class Algorithm>
  static constexpr bool is_offered() {
    if constexpr (!std::is_same_v<Algorithm, tutti::native>)
      return std::is_same_v<Algorithm, tutti::automatic> || is_built_in_full<Element, Op>;
    else if constexpr (std::is_void_v<Op>)
      return true;
    else
      return tutti::detail::nccl_type<Element>() != ncclNumTypes && tutti::detail::nccl_op<Op>() != ncclNumOps;
  }

  template <class Element, class Op, class Algorithm>
  static void call(void* comm, const raw_operands& given) {
    Collective::template call<Element, Op>(static_cast<gpu*>(comm)->on(), typed<Element>(given), Algorithm{});
  }
};

}  // namespace perf
