// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a reduce to the ways that make an all_reduce of GPU memory fast, and what one does with it. Rank r starts with
// r + 1.
#include "exercise.cuh"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

namespace {

using exercise::say, exercise::say_when_done, exercise::title;
using numbers = exercise::managed<float>;

// ---- basic --------------------------------------------------------------------------------------------------

void basic(exercise::host& world, exercise::stream& gpus) {
  const float mine = float(world.rank() + 1);

  title(world, "reduce to rank 0");
  numbers x = {mine};
  tutti::reduce(gpus, x, tutti::sum{}, 0);
  say_when_done(gpus, mine, " -> ", x);  // elsewhere x is what it was

  title(world, "all_reduce");
  numbers y = {mine};
  tutti::all_reduce(gpus, y, tutti::sum{});
  say_when_done(gpus, mine, " -> ", y);
}

// ---- ring ---------------------------------------------------------------------------------------------------

/// Each rank speaks to the next one only, and never sends more than one of p blocks at a time. First each block travels
/// once round the ring and grows, then its sum does; blocks differ by an element where p doesn't divide their number.
/// Messages and kernels follow each other on the stream: the host only says what to do, and waits in the end.
void ring_by_hand(exercise::stream& gpus, numbers& x) {
  const tutti::place here{gpus.rank(), gpus.size()};
  const auto block = [&](int index) {
    const auto part = tutti::shard(x.size(), here.size, here.wrap(index));
    return std::span(x).subspan(part.first, part.count);
  };
  numbers arrived(tutti::shard(x.size(), here.size, 0).count);  // the first block is the longest
  for (int step = 0; step < here.size - 1; ++step) {
    const auto mine = block(here.rank - step - 1), room = std::span(arrived).first(mine.size());
    tutti::send_recv(gpus, here.next(), block(here.rank - step), here.previous(), room);
    exercise::add(gpus, mine, room);
  }
  for (int step = 0; step < here.size - 1; ++step)
    tutti::send_recv(gpus, here.next(), block(here.rank + 1 - step), here.previous(), block(here.rank - step));
  gpus.synchronize();
}

void rings(exercise::host& world, exercise::stream& gpus) {
  title(world, "ring, on any number of elements");
  for (const std::size_t count : {1U, 3U, 7U}) {
    numbers x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = float(world.rank() + 1) + 10 * float(i);
    numbers y = x;
    ring_by_hand(gpus, x);
    tutti::all_reduce<tutti::ring>(gpus, y, tutti::sum{});
    say_when_done(gpus, count, " by hand: ", x, ", by the library: ", y);
  }
}

// ---- hierarchy ----------------------------------------------------------------------------------------------

/// Two groups, as if they were two machines: only the two leaders speak across.
void hierarchy(exercise::host& world, exercise::gpus& all, cudaStream_t stream) {
  title(world, "hierarchical, two groups");
  const int group = world.rank() * 2 / world.size();
  auto node = all.split(group);
  const bool leads = node.rank() == 0;
  auto leaders = all.split(leads ? 0 : -1);  // -1: in no group

  numbers x = {float(world.rank() + 1)};
  say(world, "group ", group, ", starts with ", x);
  tutti::reduce(node.on(stream), x, tutti::sum{}, 0);
  node.on(stream).synchronize();
  say(world, leads ? "leader, sum of the group: " : "waits for its leader with ", x);
  if (leaders.active()) {
    tutti::all_reduce(leaders.on(stream), x, tutti::sum{});
    leaders.on(stream).synchronize();
    say(world, "leader, sum of the groups: ", x);
  }
  tutti::broadcast(node.on(stream), x, 0);
  node.on(stream).synchronize();
  say(world, "after broadcast: ", x);
}

// ---- bandwidth ----------------------------------------------------------------------------------------------

/// What the busiest link carries: bytes * 2 (p - 1) / p in each all_reduce.
template <class Work>
void measure(exercise::host& world, exercise::stream& gpus, const char* what, std::size_t count, Work work) {
  constexpr int warm_ups = 5, iterations = 10;
  for (int i = 0; i < warm_ups; ++i) work();
  gpus.synchronize();
  tutti::barrier(world);
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < iterations; ++i) work();
  gpus.synchronize();
  double seconds[] = {std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() / iterations};
  tutti::all_reduce(world, seconds, tutti::max{});  // the slowest rank counts
  const double p = world.size(), bytes = double(count * sizeof(float)) * 2 * (p - 1) / p;
  if (world.rank() == 0)
    say(world, count, " floats, ", what, ": ", seconds[0] * 1e3, " ms, ", bytes / seconds[0] * 1e-9, " GB/s");
}

/// In memory that stays on the GPU; NCCL knows it, too.
void bandwidth(exercise::host& world, exercise::gpus& all, exercise::stream& gpus) {
  title(world, "bandwidth");
  const auto memory = all.allocate<float>(1'000'000);
  const std::span x(memory.data(), memory.size());
  constexpr std::size_t bucket = 100'000;
  measure(world, gpus, "whole", x.size(), [&] { tutti::all_reduce(gpus, x, tutti::sum{}); });
  measure(world, gpus, "in buckets of 100000", x.size(), [&] {
    for (std::size_t first = 0; first < x.size(); first += bucket)
      tutti::all_reduce(gpus, x.subspan(first, bucket), tutti::sum{});
  });
}

// ---- what it is for -----------------------------------------------------------------------------------------

/// Learns y = 3x + 1: each rank has one point of the line, all have the same model. One kernel takes the gradients'
/// mean, improves the model by it and hands it on.
void gradient_averaging(exercise::host& world, exercise::stream& gpus) {
  title(world, "gradient averaging");
  const double x = double(world.rank() + 1) / world.size(), y = 3 * x + 1, rate = 0.2;
  exercise::managed<double> model = {0, 0}, gradient = {0, 0};  // slope and offset
  auto descend = tutti::reduce_scatter(tutti::avg{}) |
                 tutti::transform([=] __host__ __device__(double& value, double mean) { value -= rate * mean; }) |
                 tutti::all_gather();
  for (int step = 1; step <= 3; ++step) {
    const double error = model[0] * x + model[1] - y;
    gradient[0] = 2 * error * x;
    gradient[1] = 2 * error;
    descend(gpus, gradient, model);
    say_when_done(gpus, "step ", step, ": y = ", model[0], " x + ", model[1]);
  }
}

void non_blocking(exercise::host& world, exercise::stream& gpus) {
  title(world, "non-blocking");
  numbers sum(5, float(world.rank() + 1));
  tutti::all_reduce(gpus, sum, tutti::sum{});  // enqueued; the GPU needs no help from here
  long other = 0;
  for (long i = 1; i <= 1000; ++i) other += i;
  say_when_done(gpus, "meanwhile 1 + ... + 1000 = ", other, ", then ", sum);
}

void operators(exercise::host& world, exercise::stream& gpus) {
  title(world, "other operators");
  const float mine = float(world.rank() + 1);
  numbers largest = {mine}, product = {mine}, strongest = {world.rank() % 2 == 0 ? mine : -mine};
  tutti::all_reduce(gpus, largest, tutti::max{});
  tutti::all_reduce(gpus, product, tutti::prod{});
  tutti::all_reduce(gpus, strongest,
                    [=] __host__ __device__(float a, float b) { return std::abs(a) < std::abs(b) ? b : a; });
  say_when_done(gpus, "max ", largest, ", product ", product, ", my own, the largest magnitude ", strongest);
}

}  // namespace

int main(int argc, char** argv) {
  return exercise::run_on_gpus(argc, argv, [](exercise::host& world, exercise::gpus& all, cudaStream_t stream) {
    auto& gpus = all.on(stream);
    basic(world, gpus);
    rings(world, gpus);
    hierarchy(world, all, stream);
    bandwidth(world, all, gpus);
    gradient_averaging(world, gpus);
    non_blocking(world, gpus);
    operators(world, gpus);
  });
}
