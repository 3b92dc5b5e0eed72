// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../buffers.hpp"
#include "../collectives.hpp"
#include "../oracle.hpp"
#include "../rows.hpp"
#include "../samples.hpp"
#include "../session.hpp"
#include "../sizes.hpp"
#include "gpu.hpp"
#include "graph.hpp"
#include "kernels.hpp"
#include "offered.hpp"

#include <tutti/collective/barrier.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace perf {

/// So many calls in a graph that its launch doesn't count, few enough of large ones.
inline int calls_in_graph(std::size_t bytes) {
  constexpr std::size_t volume = std::size_t(1) << 30;
  return int(std::clamp<std::size_t>(volume / std::max<std::size_t>(bytes, 1), 5, 100));
}
inline int replays_for(std::size_t bytes, int calls) {
  return std::min(iterations_for(bytes * std::size_t(calls)), 200);
}

/// Two events on the stream of a rank.
class stopwatch {
 public:
  explicit stopwatch(gpu& on) : on_(on) {
    on.expect(cudaEventCreate(&begin_), "cudaEventCreate");
    on.expect(cudaEventCreate(&end_), "cudaEventCreate");
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() {
    if (begin_ != nullptr) cudaEventDestroy(begin_);
    if (end_ != nullptr) cudaEventDestroy(end_);
  }

  void start() { on_.expect(cudaEventRecord(begin_, on_.stream()), "cudaEventRecord"); }
  void stop() { on_.expect(cudaEventRecord(end_, on_.stream()), "cudaEventRecord"); }
  /// In microseconds; the stream has run dry.
  double time() const {
    float milliseconds = 0;
    on_.expect(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return double(milliseconds) * 1e3;
  }

 private:
  gpu& on_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// What is measured, or what it is measured against: a call, or a graph of calls.
class stream_runner {
 public:
  /// calls: how many a graph holds; 0: no graph. checked_alone: it needs another graph, of one call.
  stream_runner(gpu& on, const candidate& algorithm, const raw_operands& given, int calls, bool checked_alone)
      : on_(on), algorithm_(algorithm), given_(given) {
    if (calls == 0) return;
    enqueue();  // what a first call sets up can't be captured
    on.on().synchronize();
    many_.emplace(on, algorithm, given, calls);
    if (checked_alone) one_.emplace(on, algorithm, given, 1);
  }
  /// What is timed.
  void enqueue() {
    if (many_)
      many_->replay();
    else
      algorithm_.call(&on_, given_);
  }
  void enqueue_alone() { one_->replay(); }

 private:
  gpu& on_;
  candidate algorithm_;
  raw_operands given_;
  std::optional<graph> many_{}, one_{};
};

/// One row, measured by events on each rank's stream.
template <class Collective, class Element, class Op>
class stream_measurement {
 public:
  stream_measurement(session& run, buffers<Element>& memory, const place& where, bool checks)
      : run_(run),
        on_(*static_cast<gpu*>(run.ranks().communicator())),
        memory_(memory),
        where_(where),
        checks_(checks),
        watch_(on_),
        wrong_(sizeof(unsigned long long), where.rank) {
    on_.expect(cudaMemsetAsync(wrong_.data(), 0, sizeof(unsigned long long), on_.stream()), "cudaMemsetAsync");
  }

  void take(const candidate& algorithm, const candidate* other, row& measured) {
    const auto& chosen = run_.chosen();
    const int calls = chosen.graph ? calls_in_graph(measured.bytes) : 0;
    const int iterations =
        chosen.iterations.value_or(chosen.graph ? replays_for(measured.bytes, calls) : iterations_for(measured.bytes));
    const int warmup = chosen.warmup.value_or(warmup_for(iterations));
    const raw_operands given = untyped(memory_.with_root(where_.root));
    // In place, each of many calls folds what the one before has left: that is timed, but nothing to be checked.
    const bool alone = chosen.graph && checks_ && where_.in_place && Collective::reduces;
    samples times, other_times;
    {
      write();  // of the first calls, no more than tidy
      stream_runner ours(on_, algorithm, given, calls, alone);
      std::optional<stream_runner> theirs;
      if (other != nullptr) theirs.emplace(on_, *other, given, calls, alone);
      const auto iterate = [&](stream_runner& one, samples& taken, bool counts) {
        const double time = this->time(one, calls) / std::max(calls, 1);
        if (counts) taken.add(time, 0, 0);
        if (!checks_) return;
        if (alone) {
          write();
          one.enqueue_alone();
        }
        check();
      };
      for (int i = -warmup; i < iterations; ++i) {  // each of the two goes first in half of them
        if (theirs && i % 2 != 0) iterate(*theirs, other_times, i >= 0);
        iterate(ours, times, i >= 0);
        if (theirs && i % 2 == 0) iterate(*theirs, other_times, i >= 0);
      }
      on_.on().synchronize();
    }
    measured.algorithm = algorithm.name;
    run_.take(measured, std::move(times), std::move(other_times), wrong());
  }

 private:
  /// More than the host takes for what follows: some 50 us, and 3 us for each call of a graph.
  static constexpr long long pause_cycles(int calls) { return 100000 + 6000ll * calls; }

  /// Poison and new input, at the stream's next turn.
  void write() {
    where_.iteration = run_.next_iteration();
    const auto output = memory_.written();
    if (!output.empty())
      on_.expect(cudaMemsetAsync(output.data(), poison_byte, output.size_bytes(), on_.stream()), "cudaMemsetAsync");
    const auto input = memory_.input();
    write_input<Element, Op>(on_, input.data(), input.size(), where_);
  }

  /// The hosts meet before the streams do, so that all enqueue at one time. A graph of calls (0: no graph) starts
  /// without a gap.
  double time(stream_runner& one, int calls) {
    write();
    on_.on().synchronize();
    run_.ranks().barrier();
    if (calls != 0) pause(on_, pause_cycles(calls));
    tutti::barrier(on_.on());
    watch_.start();
    one.enqueue();
    watch_.stop();
    on_.on().synchronize();
    return watch_.time();
  }

  unsigned long long* counter() const { return static_cast<unsigned long long*>(wrong_.data()); }
  void check() {
    if constexpr (moves_data<Collective>) {
      const auto output = memory_.output();
      add_wrong<Collective, Element, Op>(on_, output.data(), output.size(), where_, counter());
    }
  }
  std::uint64_t wrong() {
    unsigned long long found = 0;
    on_.expect(cudaMemcpyAsync(&found, counter(), sizeof found, cudaMemcpyDeviceToHost, on_.stream()),
               "cudaMemcpyAsync");
    on_.on().synchronize();
    return found;
  }

  session& run_;
  gpu& on_;
  buffers<Element>& memory_;
  place where_;
  bool checks_;
  stopwatch watch_;
  tutti::detail::device_memory wrong_;
};

/// By events on the stream of each rank; see ../rows.hpp.
struct on_streams {
  template <class Collective, class Element, class Op>
  static void measure(session& run, const candidate& algorithm, const candidate* other, buffers<Element>& memory,
                      const place& where, row& measured) {
    stream_measurement<Collective, Element, Op>(run, memory, where, measured.wrong.has_value())
        .take(algorithm, other, measured);
  }
};

template <class Collective>
constexpr collective collective_on_streams() {
  return {Collective::name,
          Collective::bus_rule,
          Collective::reduces,
          Collective::rooted,
          Collective::in_place,
          false,
          offered_on_streams<Collective>::table(),
          &in_full<Collective>,
          &measure_rows<on_streams, Collective>};
}

/// Streams don't have it: then no algorithm is offered, and nothing runs.
template <class Collective>
constexpr collective not_on_streams() {
  return {Collective::name,
          Collective::bus_rule,
          Collective::reduces,
          Collective::rooted,
          Collective::in_place,
          false,
          {[] { return std::vector<const char*>(); }, nullptr, nullptr, nullptr},
          nullptr,
          nullptr};
}

}  // namespace perf
