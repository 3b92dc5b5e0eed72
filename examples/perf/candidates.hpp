// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "buffers.hpp"
#include "case.hpp"
#include "offer.hpp"
#include "types.hpp"

#include <tutti/algorithm/list.hpp>
#include <tutti/algorithm/native.hpp>
#include <tutti/algorithm/supports.hpp>
#include <tutti/collective/async.hpp>
#include <tutti/collective/plan.hpp>

#include <string_view>
#include <type_traits>
#include <vector>

namespace perf {

/// What one transport offers of a collective.
template <class Collective, class Communicator>
struct offered {
  /// Calls each(algorithm) for those that serve the collective. Operators of tutti all commute, so that neither
  /// operator nor type decides.
  template <class Each>
  static void for_each_algorithm(Each&& each) {
    if constexpr (chooses_algorithm<Collective>) {
      tutti::every_algorithm::for_each([&]<class Algorithm>(Algorithm algorithm) {
        if constexpr (tutti::algorithm_choice<Algorithm> || (!routes && serves<Algorithm>())) each(algorithm);
      });
      if constexpr (serves<tutti::native>()) each(tutti::native{});
    } else {
      each(tutti::automatic{});
      if constexpr (requires { Collective::native_too; } && tutti::native::works_on<Communicator>)
        each(tutti::native{});
    }
  }
  static std::vector<const char*> algorithms() {
    std::vector<const char*> names;
    for_each_algorithm([&](auto algorithm) { names.push_back(algorithm.name); });
    return names;
  }

  static bool builds(std::string_view type, std::string_view op) {
    bool found = false;
    with(type, op, [&](auto, auto) { found = true; });
    return found;
  }

  static std::vector<candidate> candidates(const options& chosen, std::string_view algorithm) {
    std::vector<candidate> all;
    with(chosen.type, chosen.op, [&]<class Element, class Op>(std::type_identity<Element>, std::type_identity<Op>) {
      for_each_algorithm([&]<class Algorithm>(Algorithm) {
        if constexpr (is_built_in_full<Element, Op> || std::is_same_v<Algorithm, tutti::automatic> ||
                      std::is_same_v<Algorithm, tutti::native>) {
          candidate one;
          if ((algorithm == "all" || algorithm == Algorithm::name) && make<Element, Op, Algorithm>(chosen.call, one))
            all.push_back(one);
        }
      });
    });
    return all;
  }

  static constexpr offer table() {
    return {&algorithms, &builds,
            routes                     ? what_is_built_in_full
            : Communicator::load_store ? what_is_built
                                       : what_is_built_over_messages,
            &candidates};
  }

 private:
  /// tutti::hybrid compiles all that the two others do.
  static constexpr bool routes = tutti::routing_transport<Communicator>;
  template <class Element, class Op>
  static constexpr bool is_built_here = routes                     ? is_built_in_full<Element, Op>
                                        : Communicator::load_store ? true
                                                                   : is_built_over_messages<Element, Op>;

  template <class Algorithm>
  static constexpr bool serves() {
    return tutti::supports<Communicator, Algorithm, typename Collective::tag, float, tutti::sum>;
  }

  /// Calls use for the pair of that name, where it is built.
  template <class Use>
  static void with(std::string_view type, std::string_view op, Use&& use) {
    const auto where_built = [&]<class Element, class Op>(std::type_identity<Element> one, std::type_identity<Op> two) {
      if constexpr (is_built_here<Element, Op>) use(one, two);
    };
    with_pair<Collective>(type, op, where_built);
  }

  static Communicator& known(void* comm) { return *static_cast<Communicator*>(comm); }

  /// As the options say how to call. False where that isn't built.
  template <class Element, class Op, class Algorithm>
  static bool make(std::string_view how, candidate& made) {
    made.name = Algorithm::name;
    if (how == "blocking") {
      made.call = [](void* comm, const raw_operands& given) {
        Collective::template call<Element, Op>(known(comm), typed<Element>(given), Algorithm{});
      };
      return true;
    }
    if constexpr (is_built_in_full<Element, Op> && issues_itself<Collective, Communicator>) {
      made.call = [](void* comm, const raw_operands& given) { Collective::issue(known(comm), typed<Element>(given)); };
      return how == "async";
    } else if constexpr (is_built_in_full<Element, Op>) {
      made.call = [](void* comm, const raw_operands& given) {  // as those of tutti::async
        const auto record = [&](auto& recorder) {
          Collective::template call<Element, Op>(recorder, typed<Element>(given), Algorithm{});
        };
        tutti::detail::issue(known(comm), record).wait();
      };
      if (how == "plan")
        made.prepare = [](void* comm, const raw_operands& given) {
          return tutti::plan(known(comm), [&](auto& recorder) {
            Collective::template call<Element, Op>(recorder, typed<Element>(given), Algorithm{});
          });
        };
      return true;
    }
    return false;
  }
};

}  // namespace perf
