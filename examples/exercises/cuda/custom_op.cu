// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of one's own, each in one line and folded inside of the kernel that moves the data, beside what a plain
// loop over the values of all ranks says.
#include "exercise.cuh"

#include <tutti/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using exercise::managed, exercise::say, exercise::title;

/// The value of a rank: 3, 10, 6, 2, 9, 5, 1, 8, 4, 0, 7, 3, ...
float value_of(int rank) { return float((rank % 11 * 7 + 3) % 11); }

std::vector<float> values_of(int size) {
  std::vector<float> all;
  for (int rank = 0; rank < size; ++rank) all.push_back(value_of(rank));
  return all;
}

void argmax(exercise::host& world, exercise::stream& gpus) {
  title(world, "argmax over {float, int}");
  managed<tutti::located<float>> best = {{value_of(world.rank()), world.rank()}};
  tutti::all_reduce(gpus, best, tutti::max_loc{});
  gpus.synchronize();

  const auto all = values_of(world.size());
  const auto expected = std::max_element(all.begin(), all.end());
  say(world, best[0].value, " of rank ", best[0].index, ", expected ", *expected, " of rank ", expected - all.begin());
}

void mean_and_variance(exercise::host& world, exercise::stream& gpus) {
  title(world, "Welford's mean and variance");
  managed<tutti::moments> joined = {tutti::moments::of(value_of(world.rank()))};
  tutti::all_reduce(gpus, joined, tutti::welford{});
  gpus.synchronize();

  double mean = 0, variance = 0;
  for (const float value : values_of(world.size())) mean += double(value) / world.size();
  for (const float value : values_of(world.size())) variance += (value - mean) * (value - mean) / world.size();
  say(world, joined[0].mean, " and ", joined[0].variance(), ", expected ", mean, " and ", variance);
}

/// 1000 more than the values, whose exponentials no double can hold.
void log_sum_exp(exercise::host& world, exercise::stream& gpus) {
  title(world, "log-sum-exp");
  managed<double> x = {1000 + double(value_of(world.rank()))};
  tutti::all_reduce(gpus, x, tutti::log_sum_exp{});
  gpus.synchronize();

  double sum = 0;
  for (const float value : values_of(world.size())) sum += std::exp(double(value));
  say(world, x[0], ", expected ", 1000 + std::log(sum));
}

// A kernel calls it, so the lambda is made for both sides; without __device__
//     tutti::all_reduce(gpus, x, [limit](float a, float b) { return std::min(a + b, limit); });
// doesn't compile:
//     error: static assertion failed with "tutti: kernels call this lambda, so it must be a [=] __host__ __device__
//     lambda (nvcc --extended-lambda), or a functor with TUTTI_FUN"
void captured(exercise::host& world, exercise::stream& gpus) {
  title(world, "a lambda that captures a value");
  const float limit = 20;
  managed<float> x = {value_of(world.rank())};
  tutti::all_reduce(gpus, x, [=] __host__ __device__(float a, float b) { return a + b < limit ? a + b : limit; });
  gpus.synchronize();

  float sum = 0;
  for (const float value : values_of(world.size())) sum += value;
  say(world, x[0], ", expected ", sum < limit ? sum : limit);
}

/// A lambda doesn't say that it commutes, so it is folded in rank order, and ring, which folds otherwise, takes it only
/// with this promise.
void promised(exercise::host& world, exercise::stream& gpus) {
  title(world, "a lambda that ring may take");
  managed<float> x = {value_of(world.rank())};
  const auto larger = [=] __host__ __device__(float a, float b) { return a > b ? a : b; };
  tutti::all_reduce<tutti::ring>(gpus, x, tutti::commutative(larger));
  gpus.synchronize();

  float largest = 0;
  for (const float value : values_of(world.size())) largest = std::max(largest, value);
  say(world, x[0], ", expected ", largest);
}

}  // namespace

int main(int argc, char** argv) {
  return exercise::run_on_gpus(argc, argv, [](exercise::host& world, exercise::gpus& all, cudaStream_t stream) {
    auto& gpus = all.on(stream);
    argmax(world, gpus);
    mean_and_variance(world, gpus);
    log_sum_exp(world, gpus);
    captured(world, gpus);
    promised(world, gpus);
  });
}
