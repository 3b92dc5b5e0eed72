// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/engine/device/device_access.hpp>
#include <tutti/engine/device/push.hpp>
#include <tutti/transport/cuda_api.hpp>

#include <cstddef>

namespace tutti::detail {

/// Block 0 greets the peers, the others work. The last block to end finishes the call: nothing of its state is the
/// host's, so that a graph may hold it.
template <class Reduction, int Most, bool Folds, bool Hands_on>
__global__ void __launch_bounds__(512, 2)
    push_kernel(const __grid_constant__ push_task<typename Reduction::element, Most> call,
                const __grid_constant__ Reduction op) {
  push_control& control = *call.control;
  const device_access memory;
  push_worker<device_access, Reduction, Most, Folds, Hands_on> worker(memory, call, op, control.epoch);
  if (blockIdx.x == 0)
    worker.greet(int(threadIdx.x));
  else
    worker.work((blockIdx.x - 1) * blockDim.x + threadIdx.x, (gridDim.x - 1) * blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&control.ticket, 1u) == gridDim.x - 1) {
    control.ticket = 0;
    worker.finish();
  }
}

struct launch_shape {
  unsigned blocks, threads;
};
/// One pack a thread in blocks of 128 while that is at most 128 of them, then blocks of 512. On 2 H200, microseconds of
/// an all_reduce by direct in at most 64 / 96 / 128 / 264 blocks: 1 MiB 6.7 / 6.7 / 6.7 / 6.7, 16 MiB 72 / 65 / 62
/// / 61. Of a kernel's own blocks some may wait for room: none waits before it has pushed. But the kernels of two
/// streams may come to two devices in different orders, and wait for each other, unless both fit: two blocks of 512 a
/// processor do.
inline launch_shape shape_for(std::size_t units, int most) {
  constexpr std::size_t few = 128, many = 512;
  const auto limit = std::size_t(most);
  const std::size_t threads = units <= few * limit ? few : many;
  const std::size_t blocks = (units + threads - 1) / threads;
  return {unsigned(blocks == 0 ? 1 : blocks < limit ? blocks : limit) + 1, unsigned(threads)};
}

template <int Most, bool Folds, bool Hands_on, class Reduction>
void launch_push_among(const push_call<typename Reduction::element>& call, const Reduction& op, cudaStream_t stream) {
  const push_task<typename Reduction::element, Most> task(call);
  std::uint32_t longest = task.longest_given;
  if (task.longest_taken > longest) longest = task.longest_taken;
  if (Hands_on && task.longest_gathered > longest) longest = task.longest_gathered;
  const launch_shape shape = shape_for(packing<typename Reduction::element>::units(longest), call.where.blocks);
  push_kernel<Reduction, Most, Folds, Hands_on><<<shape.blocks, shape.threads, 0, stream>>>(task, op);
  expect_launched(call.where.rank, "a collective's kernel");
}

template <class Reduction, bool Folds, bool Hands_on>
void launch_push(const push_call<typename Reduction::element>& call, const Reduction& op, cudaStream_t stream) {
  if (call.where.ranks <= 4)
    launch_push_among<4, Folds, Hands_on>(call, op, stream);
  else
    launch_push_among<most_peers, Folds, Hands_on>(call, op, stream);
}

}  // namespace tutti::detail
