// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a training computes beside matrix products. Sums are taken in an order that depends on their length alone.
#pragma once

#include "device.cuh"
#include "digits.hpp"

#include <tutti/core/config.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mnist {

/// The images of a batch: those that `order` names from `first` on; without an order the images from `first` on.
struct picked_images {
  const std::uint32_t* order;
  std::size_t first;
  TUTTI_FUN std::size_t operator()(std::size_t sample) const {
    return order != nullptr ? order[first + sample] : first + sample;
  }
};

/// The gradient of the loss by one sample's logits (probabilities minus the truth); returns the loss.
TUTTI_FUN inline float softmax_and_loss(const float* logits, std::size_t truth, float* delta) {
  float highest = logits[0];  // keeps exp from overflowing
  for (std::size_t c = 1; c < classes; ++c) highest = logits[c] > highest ? logits[c] : highest;
  float sum = 0.0F;
  for (std::size_t c = 0; c < classes; ++c) {
    delta[c] = expf(logits[c] - highest);
    sum += delta[c];
  }
  for (std::size_t c = 0; c < classes; ++c) delta[c] = delta[c] / sum - (c == truth ? 1.0F : 0.0F);
  return logf(sum) + highest - logits[truth];
}

/// The first of the highest.
TUTTI_FUN inline std::size_t most_likely(const float* logits) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < classes; ++c) best = logits[c] > logits[best] ? c : best;
  return best;
}

/// Scales the pixels of a batch to [0, 1]; a block an image.
__global__ void gather_images(const std::uint8_t* pixels, picked_images picked, float* out) {
  const std::size_t sample = blockIdx.x;
  const std::uint8_t* from = pixels + picked(sample) * image_size;
  float* to = out + sample * image_size;
  for (std::size_t at = threadIdx.x; at < image_size; at += blockDim.x) {
    to[at] = static_cast<float>(from[at]) * (1.0F / 255.0F);
  }
}

/// The last layer's deltas and each sample's loss; a thread a sample.
__global__ void judge(const float* logits, const std::uint8_t* labels, picked_images picked, std::size_t count,
                      float* deltas, float* losses) {
  const std::size_t sample = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (sample >= count) return;
  const std::size_t at = sample * classes;
  losses[sample] = softmax_and_loss(logits + at, labels[picked(sample)], deltas + at);
}

/// 1 for each sample that the model gets right, else 0; a thread a sample.
__global__ void find_hits(const float* logits, const std::uint8_t* labels, picked_images picked, std::size_t count,
                          float* hits) {
  const std::size_t sample = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (sample >= count) return;
  hits[sample] = most_likely(logits + sample * classes) == labels[picked(sample)] ? 1.0F : 0.0F;
}

inline constexpr unsigned sum_columns = 32;  // that a block adds up
inline constexpr unsigned sum_rows = 16;     // that it reads at a time

/// The sum of each column of a rows x columns matrix.
__global__ void add_up_columns(const float* values, std::size_t rows, std::size_t columns, float* out) {
  __shared__ float parts[sum_rows][sum_columns];
  const std::size_t column = std::size_t{blockIdx.x} * sum_columns + threadIdx.x;
  float sum = 0.0F;
  if (column < columns) {
    for (std::size_t row = threadIdx.y; row < rows; row += sum_rows) sum += values[row * columns + column];
  }
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (unsigned part = 1; part < sum_rows; ++part) sum += parts[part][threadIdx.x];
  out[column] = sum;
}

inline constexpr unsigned total_threads = 512;  // a power of two

/// The sum of all values, by one block.
__global__ void add_up(const float* values, std::size_t count, double* total) {
  __shared__ double parts[total_threads];
  double sum = 0.0;
  for (std::size_t at = threadIdx.x; at < count; at += total_threads) sum += static_cast<double>(values[at]);
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = total_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = parts[0];
}

/// A step of SGD: velocity = momentum * velocity + gradients * scale, parameters -= rate * velocity.
struct descent {
  float rate;
  float momentum;
  float scale;
};

__global__ void descend(float* parameters, float* velocity, const float* gradients, std::size_t count, descent how) {
  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= count) return;
  const float speed = how.momentum * velocity[at] + how.scale * gradients[at];
  velocity[at] = speed;
  parameters[at] -= how.rate * speed;
}

}  // namespace mnist
