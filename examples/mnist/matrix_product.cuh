// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices that lie row by row, either of them transposed or not. Each element of the result is added up by
// one thread in ascending order, so the same numbers give the same bits.
#pragma once

#include "device.cuh"

#include <tutti/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace mnist {

/// out: rows x columns; left: rows x depth; right: depth x columns. A transposed one lies in memory the other way
/// round.
struct product_shape {
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t depth;
};

/// What becomes of an element of the product before it is written.
struct as_it_is {
  TUTTI_FUN float operator()(float value, std::uint32_t, std::uint32_t) const { return value; }
};

struct add_bias {
  const float* bias;
  TUTTI_FUN float operator()(float value, std::uint32_t, std::uint32_t column) const { return value + bias[column]; }
};

struct add_bias_and_rectify {
  const float* bias;
  TUTTI_FUN float operator()(float value, std::uint32_t, std::uint32_t column) const {
    const float sum = value + bias[column];
    return sum < 0.0F ? 0.0F : sum;  // a NaN stays one: a loss that diverges must be seen
  }
};

/// Backwards through a ReLU: passes where its result was above zero.
struct where_active {
  const float* activations;
  std::uint32_t columns;
  TUTTI_FUN float operator()(float value, std::uint32_t row, std::uint32_t column) const {
    return activations[std::size_t{row} * columns + column] > 0.0F ? value : 0.0F;
  }
};

inline constexpr std::uint32_t product_tile = 32;      // rows, columns and depth that a block works on at a time
inline constexpr std::uint32_t product_threads = 256;  // a block's: 16 x 16, each with 2 x 2 elements of the result

/// Element (row, column) of a matrix of this height and width; zero beyond its edges.
template <bool Transposed>
__device__ float element_at(const float* matrix, std::uint32_t height, std::uint32_t width, std::uint32_t row,
                            std::uint32_t column) {
  if (row >= height || column >= width) return 0.0F;
  return matrix[Transposed ? std::size_t{column} * height + row : std::size_t{row} * width + column];
}

template <bool Left_transposed, bool Right_transposed, class Finish>
__global__ void __launch_bounds__(product_threads)
    multiply(const float* left, const float* right, float* out, product_shape shape, Finish finish) {
  constexpr std::uint32_t tile = product_tile, loads = tile * tile / product_threads;
  __shared__ float lefts[tile][tile + 1];   // [depth][row]; the odd width keeps columns in different banks
  __shared__ float rights[tile][tile + 1];  // [depth][column]

  const std::uint32_t top = blockIdx.y * tile, side = blockIdx.x * tile;
  // For loading, a warp takes what lies side by side in memory; `lane` runs along it.
  const std::uint32_t lane = threadIdx.x % tile, group = threadIdx.x / tile;
  float next_left[loads], next_right[loads];  // the tile after this one is on its way while this one is multiplied
  const auto fetch = [&](std::uint32_t begin) {
    for (std::uint32_t i = 0; i < loads; ++i) {
      const std::uint32_t other = group + i * (product_threads / tile);
      next_left[i] = Left_transposed ? element_at<true>(left, shape.rows, shape.depth, top + lane, begin + other)
                                     : element_at<false>(left, shape.rows, shape.depth, top + other, begin + lane);
      next_right[i] = Right_transposed
                          ? element_at<true>(right, shape.depth, shape.columns, begin + lane, side + other)
                          : element_at<false>(right, shape.depth, shape.columns, begin + other, side + lane);
    }
  };
  const auto store = [&] {
    for (std::uint32_t i = 0; i < loads; ++i) {
      const std::uint32_t other = group + i * (product_threads / tile);
      (Left_transposed ? lefts[other][lane] : lefts[lane][other]) = next_left[i];
      (Right_transposed ? rights[lane][other] : rights[other][lane]) = next_right[i];
    }
  };

  const std::uint32_t x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sums[2][2] = {};
  fetch(0);
  for (std::uint32_t begin = 0; begin < shape.depth; begin += tile) {
    store();
    __syncthreads();
    if (begin + tile < shape.depth) fetch(begin + tile);
#pragma unroll
    for (std::uint32_t k = 0; k < tile; ++k) {
      const float l[2] = {lefts[k][y], lefts[k][y + 16]};
      const float r[2] = {rights[k][x], rights[k][x + 16]};
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) sums[i][j] += l[i] * r[j];
      }
    }
    __syncthreads();  // before the tile is overwritten
  }

  for (std::uint32_t i = 0; i < 2; ++i) {
    for (std::uint32_t j = 0; j < 2; ++j) {
      const std::uint32_t row = top + y + 16 * i, column = side + x + 16 * j;
      if (row < shape.rows && column < shape.columns) {
        out[std::size_t{row} * shape.columns + column] = finish(sums[i][j], row, column);
      }
    }
  }
}

/// out = finish(left * right), on a stream.
template <bool Left_transposed, bool Right_transposed, class Finish>
void enqueue_product(cudaStream_t stream, const float* left, const float* right, float* out, product_shape shape,
                     Finish finish) {
  const auto tiles = [](std::uint32_t length) { return (length + product_tile - 1) / product_tile; };
  const dim3 blocks(tiles(shape.columns), tiles(shape.rows));
  multiply<Left_transposed, Right_transposed><<<blocks, product_threads, 0, stream>>>(left, right, out, shape, finish);
  expect_launched("multiply");
}

}  // namespace mnist
