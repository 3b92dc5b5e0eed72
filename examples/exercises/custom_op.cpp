// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of one's own, each in one line, beside what a plain loop over the values of all ranks says.
#include "exercise.hpp"

#include <tutti/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using exercise::say, exercise::title;

/// The value of a rank: 3, 10, 6, 2, 9, 5, 1, 8, 4, 0, 7, 3, ...
float value_of(int rank) { return float((rank % 11 * 7 + 3) % 11); }

std::vector<float> values_of(int size) {
  std::vector<float> all;
  for (int rank = 0; rank < size; ++rank) all.push_back(value_of(rank));
  return all;
}

void argmax(auto& world) {
  title(world, "argmax over {float, int}");
  tutti::located<float> best[] = {{value_of(world.rank()), world.rank()}};
  tutti::all_reduce(world, best, tutti::max_loc{});

  const auto all = values_of(world.size());
  const auto expected = std::max_element(all.begin(), all.end());
  say(world, best[0].value, " of rank ", best[0].index, ", expected ", *expected, " of rank ", expected - all.begin());
}

void mean_and_variance(auto& world) {
  title(world, "Welford's mean and variance");
  tutti::moments joined[] = {tutti::moments::of(value_of(world.rank()))};
  tutti::all_reduce(world, joined, tutti::welford{});

  double mean = 0, variance = 0;
  for (const float value : values_of(world.size())) mean += double(value) / world.size();
  for (const float value : values_of(world.size())) variance += (value - mean) * (value - mean) / world.size();
  say(world, joined[0].mean, " and ", joined[0].variance(), ", expected ", mean, " and ", variance);
}

/// 1000 more than the values, whose exponentials no double can hold.
void log_sum_exp(auto& world) {
  title(world, "log-sum-exp");
  double x[] = {1000 + double(value_of(world.rank()))};
  tutti::all_reduce(world, x, tutti::log_sum_exp{});

  double sum = 0;
  for (const float value : values_of(world.size())) sum += std::exp(double(value));
  say(world, x[0], ", expected ", 1000 + std::log(sum));
}

void captured(auto& world) {
  title(world, "a lambda that captures a value");
  const float limit = 20;
  float x[] = {value_of(world.rank())};
  tutti::all_reduce(world, x, [limit](float a, float b) { return std::min(a + b, limit); });

  float sum = 0;
  for (const float value : values_of(world.size())) sum += value;
  say(world, x[0], ", expected ", sum < limit ? sum : limit);
}

// A lambda doesn't say that it commutes, so it is folded in rank order. Ring folds otherwise, and
//     tutti::all_reduce<tutti::ring>(world, x, [](float a, float b) { return a > b ? a : b; });
// doesn't compile:
//     error: static assertion failed: tutti: this algorithm (ring, ...) folds out of rank order; wrap the operator in
//     tutti::commutative(op), or use direct, tree or one_phase
void promised(auto& world) {
  title(world, "a lambda that ring may take");
  float x[] = {value_of(world.rank())};
  tutti::all_reduce<tutti::ring>(world, x, tutti::commutative([](float a, float b) { return a > b ? a : b; }));

  float largest = 0;
  for (const float value : values_of(world.size())) largest = std::max(largest, value);
  say(world, x[0], ", expected ", largest);
}

}  // namespace

int main(int argc, char** argv) {
  return exercise::run(argc, argv, [](auto& world) {
    argmax(world);
    mean_and_variance(world);
    log_sum_exp(world);
    captured(world);
    promised(world);
  });
}
