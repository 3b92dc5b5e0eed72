// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a reduce to the ways that make an all_reduce fast, and what one does with it. Rank r starts with r + 1.
#include "exercise.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <vector>

namespace {

using exercise::say, exercise::title;
using numbers = std::vector<float>;

// ---- basic --------------------------------------------------------------------------------------------------

void basic(auto& world) {
  const float mine = float(world.rank() + 1);

  title(world, "reduce to rank 0");
  numbers x = {mine};
  tutti::reduce(world, x, tutti::sum{}, 0);
  say(world, mine, " -> ", x);  // elsewhere x is what it was

  title(world, "all_reduce");
  x = {mine};
  tutti::all_reduce(world, x, tutti::sum{});
  say(world, mine, " -> ", x);
}

// ---- ring ---------------------------------------------------------------------------------------------------

/// Each rank speaks to the next one only, and never sends more than one of p blocks at a time. First each block travels
/// once round the ring and grows, then its sum does; blocks differ by an element where p doesn't divide their number.
void ring_by_hand(auto& world, numbers& x) {
  const tutti::place here{world.rank(), world.size()};
  const auto block = [&](int index) {
    const auto part = tutti::shard(x.size(), here.size, here.wrap(index));
    return std::span(x).subspan(part.first, part.count);
  };
  for (int step = 0; step < here.size - 1; ++step) {
    const auto mine = block(here.rank - step - 1);
    numbers arrived(mine.size());
    tutti::send_recv(world, here.next(), block(here.rank - step), here.previous(), arrived);
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += arrived[i];
  }
  for (int step = 0; step < here.size - 1; ++step)
    tutti::send_recv(world, here.next(), block(here.rank + 1 - step), here.previous(), block(here.rank - step));
}

void rings(auto& world) {
  title(world, "ring, on any number of elements");
  for (const std::size_t count : {1U, 3U, 7U}) {
    numbers x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = float(world.rank() + 1) + 10 * float(i);
    numbers y = x;
    ring_by_hand(world, x);
    tutti::all_reduce<tutti::ring>(world, y, tutti::sum{});
    say(world, count, " by hand: ", x, ", by the library: ", y);
  }
}

// ---- hierarchy ----------------------------------------------------------------------------------------------

/// Two groups, as if they were two machines: only the two leaders speak across.
void hierarchy(auto& world) {
  title(world, "hierarchical, two groups");
  const int group = world.rank() * 2 / world.size();
  world.arrange(group);
  auto& node = world.node();
  auto& leaders = world.leaders();

  numbers x = {float(world.rank() + 1)};
  say(world, "group ", group, ", starts with ", x);
  tutti::reduce(node, x, tutti::sum{}, 0);
  say(world, node.rank() == 0 ? "leader, sum of the group: " : "waits for its leader with ", x);
  if (leaders.active()) {
    tutti::all_reduce(leaders, x, tutti::sum{});
    say(world, "leader, sum of the groups: ", x);
  }
  tutti::broadcast(node, x, 0);
  say(world, "after broadcast: ", x);
}

// ---- bandwidth ----------------------------------------------------------------------------------------------

/// What the busiest link carries: bytes * 2 (p - 1) / p in each all_reduce.
template <class Work>
void measure(auto& world, const char* what, std::size_t count, Work work) {
  constexpr int warm_ups = 5, iterations = 10;
  for (int i = 0; i < warm_ups; ++i) work();
  tutti::barrier(world);
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < iterations; ++i) work();
  double seconds[] = {std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() / iterations};
  tutti::all_reduce(world, seconds, tutti::max{});  // the slowest rank counts
  const double p = world.size(), bytes = double(count * sizeof(float)) * 2 * (p - 1) / p;
  if (world.rank() == 0)
    say(world, count, " floats, ", what, ": ", seconds[0] * 1e3, " ms, ", bytes / seconds[0] * 1e-9, " GB/s");
}

void bandwidth(auto& world) {
  title(world, "bandwidth");
  numbers x(1'000'000, 0.0F);
  constexpr std::size_t bucket = 100'000;
  measure(world, "whole", x.size(), [&] { tutti::all_reduce(world, x, tutti::sum{}); });
  measure(world, "in buckets of 100000", x.size(), [&] {
    for (std::size_t first = 0; first < x.size(); first += bucket)
      tutti::all_reduce(world, std::span(x).subspan(first, bucket), tutti::sum{});
  });
}

// ---- what it is for -----------------------------------------------------------------------------------------

/// Learns y = 3x + 1: each rank has one point of the line, all have the same model.
void gradient_averaging(auto& world) {
  title(world, "gradient averaging");
  const double x = double(world.rank() + 1) / world.size(), y = 3 * x + 1, rate = 0.2;
  double slope = 0, offset = 0;
  for (int step = 1; step <= 3; ++step) {
    const double error = slope * x + offset - y;
    double gradient[] = {2 * error * x, 2 * error};
    tutti::all_reduce(world, gradient, tutti::avg{});
    slope -= rate * gradient[0];
    offset -= rate * gradient[1];
    say(world, "step ", step, ": y = ", slope, " x + ", offset);
  }
}

void non_blocking(auto& world) {
  title(world, "non-blocking");
  auto sum = tutti::async::all_reduce(world, numbers(5, float(world.rank() + 1)), tutti::sum{});
  long other = 0;
  for (long i = 1; i <= 1000; ++i) {
    other += i;
    if (i % 100 == 0) sum.test();  // never waits, and lets the all_reduce move
  }
  say(world, "meanwhile 1 + ... + 1000 = ", other, ", then ", sum.get());
}

void operators(auto& world) {
  title(world, "other operators");
  const float mine = float(world.rank() + 1);
  numbers largest = {mine}, product = {mine}, strongest = {world.rank() % 2 == 0 ? mine : -mine};
  tutti::all_reduce(world, largest, tutti::max{});
  tutti::all_reduce(world, product, tutti::prod{});
  tutti::all_reduce(world, strongest, [](float a, float b) { return std::abs(a) < std::abs(b) ? b : a; });
  say(world, "max ", largest, ", product ", product, ", my own, the largest magnitude ", strongest);
}

}  // namespace

int main(int argc, char** argv) {
  return exercise::run(argc, argv, [](auto& world) {
    basic(world);
    rings(world);
    hierarchy(world);
    bandwidth(world);
    gradient_averaging(world);
    non_blocking(world);
    operators(world);
  });
}
