// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "buffers.hpp"
#include "collectives.hpp"
#include "oracle.hpp"
#include "session.hpp"
#include "types.hpp"

#include <tutti/algorithm/list.hpp>
#include <tutti/algorithm/supports.hpp>
#include <tutti/collective/async.hpp>
#include <tutti/collective/barrier.hpp>
#include <tutti/collective/plan.hpp>
#include <tutti/core/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perf {

// What a collective tells of itself, in a struct:
//   name, reduces, rooted
//   tag             of tutti::collective; left out where tutti gives no choice of algorithms
//   in_place        whether it must, may or can't be in place
//   bus_factor(n)   busbw / algbw on n ranks, bus_rule the same in words: what the busiest link of the best algorithm
//                   must carry, in units of bytes
//   lengths(place)  extents of this rank's operands; place.count is what the column bytes means
//   expected<Element, Op>(place, index)           what the output must hold there
//   call<Element, Op>(comm, operands, algorithm)  the call that is timed; comm may be what tutti::plan records with
// lengths and expected are left out where no data move. What isn't everywhere:
//   fitting(count, ranks)        the length that stands in for one which the collective can't have
//   issue(comm, operands)        issues and waits, where the call can't be recorded; then it can't be planned either
template <class Collective>
concept chooses_algorithm = requires {
  typename Collective::tag;
};

template <class Collective>
concept moves_data = requires {
  Collective::lengths(place{});
};

template <class Collective>
concept issues_itself = requires(communicator& comm, const operands<std::uint32_t>& given) {
  Collective::issue(comm, given);
};

/// Calls each(algorithm) for those that serve the collective. Operators of tutti all commute, so that neither operator
/// nor type decides.
template <class Collective, class Each>
void for_each_algorithm(Each&& each) {
  if constexpr (chooses_algorithm<Collective>)
    tutti::every_algorithm::for_each([&]<class Algorithm>(Algorithm algorithm) {
      if constexpr (tutti::algorithm_choice<Algorithm> ||
                    tutti::supports<communicator, Algorithm, typename Collective::tag, float, tutti::sum>)
        each(algorithm);
    });
  else
    each(tutti::automatic{});
}

template <class Collective>
std::vector<const char*> algorithms_of() {
  std::vector<const char*> names;
  for_each_algorithm<Collective>([&](auto algorithm) { names.push_back(algorithm.name); });
  return names;
}

/// One algorithm behind a pointer: the loop around the call is compiled once for all of them.
template <class Element>
struct candidate {
  const char* name;
  void (*call)(communicator&, const operands<Element>&);
  tutti::prepared_calls (*prepare)(communicator&, const operands<Element>&);  // null unless it is asked for
};

/// As the options say how to call. False where that isn't built.
template <class Collective, class Element, class Op, class Algorithm>
bool make_candidate(std::string_view how, candidate<Element>& made) {
  made.name = Algorithm::name;
  if (how == "blocking") {
    made.call = [](communicator& comm, const operands<Element>& given) {
      Collective::template call<Element, Op>(comm, given, Algorithm{});
    };
    return true;
  }
  if constexpr (is_built_in_full<Element, Op> && issues_itself<Collective>) {
    made.call = [](communicator& comm, const operands<Element>& given) { Collective::issue(comm, given); };
    return how == "async";
  } else if constexpr (is_built_in_full<Element, Op>) {
    made.call = [](communicator& comm, const operands<Element>& given) {  // as those of tutti::async
      const auto record = [&](auto& recorder) { Collective::template call<Element, Op>(recorder, given, Algorithm{}); };
      tutti::detail::issue(comm, record).wait();
    };
    if (how == "plan")
      made.prepare = [](communicator& comm, const operands<Element>& given) {
        return tutti::plan(
            comm, [&](auto& recorder) { Collective::template call<Element, Op>(recorder, given, Algorithm{}); });
      };
    return true;
  }
  return false;
}

template <class Collective, class Element, class Op>
void measure_one(session& run, const candidate<Element>& algorithm, buffers<Element>& memory, place where,
                 row& measured) {
  const auto& chosen = run.chosen();
  const int iterations = chosen.iterations.value_or(iterations_for(measured.bytes));
  const int warmup = chosen.warmup.value_or(warmup_for(iterations));
  const operands<Element> given = memory.with_root(where.root);
  std::optional<tutti::prepared_calls> prepared;
  if (algorithm.prepare != nullptr) prepared.emplace(algorithm.prepare(run.comm(), given));
  std::vector<double> times;
  times.reserve(std::size_t(iterations));
  std::uint64_t wrong = 0;
  for (int i = -warmup; i < iterations; ++i) {
    where.iteration = run.next_iteration();
    memory.poison();
    const std::span<Element> input = memory.input();
    for (std::size_t index = 0; index < input.size(); ++index)
      input[index] = input_of<Element, Op>(where.rank, index, where.iteration);
    tutti::barrier(run.comm());
    const auto start = tutti::detail::now_ns();
    if (prepared)
      prepared->run();
    else
      algorithm.call(run.comm(), given);
    const auto end = tutti::detail::now_ns();
    if (i >= 0) times.push_back(double(end - start) * 1e-3);
    if constexpr (moves_data<Collective>) {
      if (measured.wrong)
        wrong += count_wrong(std::span<const Element>(given.out), [&](std::size_t index) {
          return Collective::template expected<Element, Op>(where, index);
        });
    }
  }
  measured.algorithm = algorithm.name;
  run.take(measured, std::move(times), wrong);
}

template <class Collective, class Element, class Op>
void measure_sizes(session& run, row measured) {
  const auto& chosen = run.chosen();
  std::vector<candidate<Element>> candidates;
  for_each_algorithm<Collective>([&]<class Algorithm>(Algorithm) {
    if constexpr (is_built_in_full<Element, Op> || std::is_same_v<Algorithm, tutti::automatic>) {
      candidate<Element> one{};
      if ((chosen.algorithm == "all" || chosen.algorithm == Algorithm::name) &&
          make_candidate<Collective, Element, Op, Algorithm>(chosen.call, one))
        candidates.push_back(one);
    }
  });
  const auto at = [&](place where, const extents& lengths) {
    where.in_place = measured.in_place;
    buffers<Element> memory(lengths, measured.in_place);
    measured.count = where.count;
    measured.bytes = where.count * sizeof(Element);
    for (const auto& algorithm : candidates)
      measure_one<Collective, Element, Op>(run, algorithm, memory, where, measured);
  };
  if constexpr (moves_data<Collective>) {
    std::size_t last = 0;
    for (std::size_t count : chosen.sizes.counts(sizeof(Element))) {
      if constexpr (requires { Collective::fitting(count, 1); }) count = Collective::fitting(count, run.comm().size());
      if (count == last) continue;
      last = count;
      const place where = run.here(count);
      at(where, Collective::lengths(where));
    }
  } else {
    at(run.here(0), {});
  }
}

template <class Collective>
void measure(session& run) {
  const auto& chosen = run.chosen();
  row measured;
  measured.collective = Collective::name;
  measured.type = moves_data<Collective> ? chosen.type : "none";
  measured.op = Collective::reduces ? chosen.op : "none";
  measured.in_place = moves_data<Collective> && (Collective::in_place == placing::always || chosen.in_place);
  measured.bus_factor = Collective::bus_factor(run.comm().size());
  if (chosen.check && moves_data<Collective>) measured.wrong = 0;
  if constexpr (Collective::reduces)
    with_reduction(chosen.type, chosen.op,
                   [&]<class Element, class Op>(std::type_identity<Element>, std::type_identity<Op>) {
                     measure_sizes<Collective, Element, Op>(run, measured);
                   });
  else if constexpr (moves_data<Collective>)
    with_movement(chosen.type, [&]<class Element>(std::type_identity<Element>) {
      measure_sizes<Collective, Element, void>(run, measured);
    });
  else
    measure_sizes<Collective, std::uint32_t, void>(run, measured);
}

template <class Collective>
bool in_full(std::string_view type, std::string_view op) {
  bool full = !moves_data<Collective>;
  if constexpr (Collective::reduces)
    with_reduction(type, op, [&]<class Element, class Op>(std::type_identity<Element>, std::type_identity<Op>) {
      full = is_built_in_full<Element, Op>;
    });
  else if constexpr (moves_data<Collective>)
    with_movement(type, [&]<class Element>(std::type_identity<Element>) { full = is_built_in_full<Element, void>; });
  return full;
}

template <class Collective>
constexpr collective collective_of() {
  return {Collective::name,           Collective::bus_rule, Collective::reduces,
          Collective::rooted,         Collective::in_place, !issues_itself<Collective>,
          &algorithms_of<Collective>, &in_full<Collective>, &measure<Collective>};
}

}  // namespace perf
