// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "buffers.hpp"
#include "candidates.hpp"
#include "collectives.hpp"
#include "oracle.hpp"
#include "rows.hpp"
#include "samples.hpp"
#include "session.hpp"
#include "sizes.hpp"
#include "turns.hpp"

#include <tutti/core/clock.hpp>
#include <tutti/transport/shared_communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

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

/// By the clock of each rank; see rows.hpp.
struct on_processors {
  template <class Collective, class Element, class Op>
  static void measure(session& run, const candidate& algorithm, const candidate* other, buffers<Element>& memory,
                      place where, row& measured) {
    const auto& chosen = run.chosen();
    const int iterations = chosen.iterations.value_or(iterations_for(measured.bytes));
    const int warmup = chosen.warmup.value_or(warmup_for(iterations));
    const operands<Element> given = memory.with_root(where.root);
    const raw_operands raw = untyped(given);
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
      // Who is done would check its result on the core on which another rank has yet to finish; and who spins would
      // keep a core from the thread by which a library beside us finishes another rank's call.
      const bool beside = theirs && &one == &*theirs && is_beside(run.other()->transport());
      beside ? run.other()->barrier() : run.ranks().barrier();
      if (counts) taken.add(time, before, run.pulse());
      if constexpr (moves_data<Collective>) {
        if (measured.wrong)
          wrong += count_wrong(std::span<const Element>(given.out), [&](std::size_t index) {
            return Collective::template expected<Element, Op>(where, index);
          });
      }
    };
    const bool share = theirs && run.other()->communicator() == run.ranks().communicator();
    samples ignored;
    for (int i = 0; i < warmup; ++i) {
      iterate(ours, ignored, false);
      if (theirs) iterate(*theirs, ignored, false);
    }
    turns::of(share).take(
        iterations, theirs.has_value(), [&](bool counts) { iterate(ours, times, counts); },
        [&](bool counts) { iterate(*theirs, other_times, counts); });
    measured.algorithm = algorithm.name;
    run.take(measured, std::move(times), std::move(other_times), wrong);
  }
};

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
          &measure_rows<on_processors, Collective>};
}

}  // namespace perf
