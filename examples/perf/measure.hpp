// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "buffers.hpp"
#include "candidates.hpp"
#include "collectives.hpp"
#include "oracle.hpp"
#include "samples.hpp"
#include "session.hpp"
#include "types.hpp"

#include <tutti/core/clock.hpp>
#include <tutti/transport/shared_communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perf {

/// Threads and shm speak one protocol over two kinds of memory, so one instance of everything serves both.
using shared_communicator = tutti::detail::shared_communicator;

/// What is measured, or what it is measured against, ready to be called again and again.
class runner {
 public:
  runner(const candidate& algorithm, void* comm, const raw_operands& given)
      : algorithm_(algorithm), comm_(comm), given_(given) {
    if (algorithm.prepare != nullptr) prepared_.emplace(algorithm.prepare(comm, given));
  }
  /// How long it takes here, in microseconds.
  double time() {
    const auto start = tutti::detail::now_ns();
    if (prepared_)
      prepared_->run();
    else
      algorithm_.call(comm_, given_);
    return double(tutti::detail::now_ns() - start) * 1e-3;
  }

 private:
  candidate algorithm_;
  void* comm_;
  raw_operands given_;
  std::optional<tutti::prepared_calls> prepared_{};
};

template <class Collective, class Element, class Op>
void measure_one(session& run, const candidate& algorithm, const candidate* other, buffers<Element>& memory,
                 place where, row& measured) {
  const auto& chosen = run.chosen();
  const int iterations = chosen.iterations.value_or(iterations_for(measured.bytes));
  const int warmup = chosen.warmup.value_or(warmup_for(iterations));
  const operands<Element> given = memory.with_root(where.root);
  const raw_operands raw{given.in.data(),  given.in.size(), given.out.data(),
                         given.out.size(), given.root,      given.in_place};
  runner ours(algorithm, run.ranks().communicator(), raw);
  std::optional<runner> theirs;
  if (other != nullptr) theirs.emplace(*other, run.other()->communicator(), raw);
  samples times, other_times;
  std::uint64_t wrong = 0;
  const auto iterate = [&](runner& one, samples& taken, bool counts) {
    where.iteration = run.next_iteration();
    memory.poison();
    const std::span<Element> input = memory.input();
    for (std::size_t index = 0; index < input.size(); ++index)
      input[index] = input_of<Element, Op>(where.rank, index, where.iteration);
    const double before = run.pulse();
    run.ranks().barrier();
    const double time = one.time();
    if (counts) taken.add(time, before, run.pulse());
    if constexpr (moves_data<Collective>) {
      if (measured.wrong)
        wrong += count_wrong(std::span<const Element>(given.out), [&](std::size_t index) {
          return Collective::template expected<Element, Op>(where, index);
        });
    }
  };
  for (int i = -warmup; i < iterations; ++i) {  // each of the two goes first in half of them
    if (theirs && i % 2 != 0) iterate(*theirs, other_times, i >= 0);
    iterate(ours, times, i >= 0);
    if (theirs && i % 2 == 0) iterate(*theirs, other_times, i >= 0);
  }
  measured.algorithm = algorithm.name;
  run.take(measured, std::move(times), std::move(other_times), wrong);
}

template <class Collective, class Element, class Op>
void measure_sizes(session& run, const collective& self, row measured) {
  const auto& chosen = run.chosen();
  const auto candidates = self.over(run.ranks().transport()).candidates(chosen, chosen.algorithm);
  std::vector<candidate> others;
  if (chosen.versus) others = self.over(chosen.versus->transport).candidates(chosen, chosen.versus->algorithm);
  const candidate* const other = others.empty() ? nullptr : &others[0];
  const auto at = [&](place where, const extents& lengths) {
    where.in_place = measured.in_place;
    buffers<Element> memory(lengths, measured.in_place, [&](std::size_t bytes) { return run.take_memory(bytes); });
    measured.count = where.count;
    measured.bytes = where.count * sizeof(Element);
    for (const auto& algorithm : candidates)
      measure_one<Collective, Element, Op>(run, algorithm, other, memory, where, measured);
  };
  if constexpr (moves_data<Collective>) {
    std::size_t last = 0;
    for (std::size_t count : chosen.sizes.counts(sizeof(Element))) {
      if constexpr (requires { Collective::fitting(count, 1); }) count = Collective::fitting(count, run.ranks().size());
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
void measure(session& run, const collective& self) {
  const auto& chosen = run.chosen();
  row measured;
  measured.collective = Collective::name;
  measured.type = moves_data<Collective> ? chosen.type : "none";
  measured.op = Collective::reduces ? chosen.op : "none";
  measured.memory = chosen.memory;
  measured.in_place = moves_data<Collective> && (Collective::in_place == placing::always || chosen.in_place);
  measured.bus_factor = Collective::bus_factor(run.ranks().size());
  if (chosen.versus) measured.other = chosen.versus->name();
  if (chosen.check && moves_data<Collective>) measured.wrong = 0;
  if constexpr (Collective::reduces)
    with_reduction(chosen.type, chosen.op,
                   [&]<class Element, class Op>(std::type_identity<Element>, std::type_identity<Op>) {
                     measure_sizes<Collective, Element, Op>(run, self, measured);
                   });
  else if constexpr (moves_data<Collective>)
    with_movement(chosen.type, [&]<class Element>(std::type_identity<Element>) {
      measure_sizes<Collective, Element, void>(run, self, measured);
    });
  else
    measure_sizes<Collective, std::uint32_t, void>(run, self, measured);
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
  return {Collective::name,
          Collective::bus_rule,
          Collective::reduces,
          Collective::rooted,
          Collective::in_place,
          !issues_itself<Collective, shared_communicator>,
          offered<Collective, shared_communicator>::table(),
          &in_full<Collective>,
          &measure<Collective>};
}

}  // namespace perf
