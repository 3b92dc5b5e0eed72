// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../oracle.hpp"
#include "gpu.hpp"

#include <cstddef>
#include <cstdint>

namespace perf {

// The oracle on the device.

template <class Element, class Op>
__global__ void input_kernel(Element* input, std::size_t count, int rank, std::uint32_t iteration) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * std::size_t(blockDim.x))
    input[i] = input_of<Element, Op>(rank, i, iteration);
}

/// The operator of a type that is written for the host may not be there.
template <class Element>
__device__ bool is_same(const Element& one, const Element& other) {
  if constexpr (requires { one.index; })
    return one.value == other.value && one.index == other.index;
  else
    return one == other;
}

template <class Collective, class Element, class Op>
__global__ void wrong_kernel(const Element* found, std::size_t count, place where, unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * std::size_t(blockDim.x))
    if (!is_same(found[i], Collective::template expected<Element, Op>(where, i))) ++mine;
  if (mine != 0) atomicAdd(wrong, mine);
}

/// Holds a stream up for so many cycles: until then the host can enqueue what shall run without a gap. A template, as
/// kernels can't be inline.
template <class Cycles>
__global__ void pause_kernel(Cycles cycles) {
  const Cycles begun = clock64();
  while (clock64() - begun < cycles) continue;
}

inline unsigned blocks_for(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 1024 ? blocks : 1024);
}

template <class Element, class Op>
void write_input(gpu& on, Element* input, std::size_t count, const place& where) {
  if (count == 0) return;
  input_kernel<Element, Op><<<blocks_for(count), 256, 0, on.stream()>>>(input, count, where.rank, where.iteration);
  on.expect(cudaGetLastError(), "input_kernel");
}

template <class Collective, class Element, class Op>
void add_wrong(gpu& on, const Element* found, std::size_t count, const place& where, unsigned long long* wrong) {
  if (count == 0) return;
  wrong_kernel<Collective, Element, Op><<<blocks_for(count), 256, 0, on.stream()>>>(found, count, where, wrong);
  on.expect(cudaGetLastError(), "wrong_kernel");
}

inline void pause(gpu& on, long long cycles) {
  pause_kernel<<<1, 1, 0, on.stream()>>>(cycles);
  on.expect(cudaGetLastError(), "pause_kernel");
}

}  // namespace perf
