// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/schedule/transfer.hpp>
#include <tutti/transport/cuda_api.hpp>

#include <cstddef>

namespace tutti::detail {

/// out[i] = arriving[i] in another form: lifted, lowered or both.
template <class Reduction, bool Lifts, bool Lowers, class From, class To>
__global__ void __launch_bounds__(512)
    store_kernel(const __grid_constant__ Reduction op, const From* from, To* to, std::size_t count, int size) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * std::size_t(blockDim.x)) {
    if constexpr (Lifts && Lowers)
      to[i] = op.lower(op.lift(from[i]), size);
    else if constexpr (Lifts)
      to[i] = op.lift(from[i]);
    else
      to[i] = op.lower(from[i], size);
  }
}

template <bool Lifts, class Reduction, class Value>
__device__ typename Reduction::accumulator as_accumulator(const Reduction& op, const Value& value) {
  if constexpr (Lifts)
    return op.lift(value);
  else
    return value;
}

/// out[i] = left[i] combined with right[i]; out may be one of them.
template <class Reduction, bool Lifts_left, bool Lifts_right, bool Lowers, class Left, class Right, class Out>
__global__ void __launch_bounds__(512) combine_kernel(const __grid_constant__ Reduction op, const Left* left,
                                                      const Right* right, Out* out, std::size_t count, int size) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * std::size_t(blockDim.x)) {
    const auto total = op.combine(as_accumulator<Lifts_left>(op, left[i]), as_accumulator<Lifts_right>(op, right[i]));
    if constexpr (Lowers)
      out[i] = op.lower(total, size);
    else
      out[i] = total;
  }
}

/// The loops over elements by kernels on a stream: what fold_loops is on the host.
template <class Reduction>
class device_loops {
 public:
  using element = typename Reduction::element;
  using accumulator = typename Reduction::accumulator;

  device_loops(const Reduction& op, int size, cudaStream_t stream, int rank)
      : op_(op), size_(size), stream_(stream), rank_(rank) {}

  void store(const void* arriving, form travels, void* out, form becomes, std::size_t count) const {
    if (count == 0) return;
    if (!Reduction::accumulates || travels == becomes) {
      if (out != arriving)
        expect_cuda(
            cudaMemcpyAsync(out, arriving, count * (travels == form::partial ? sizeof(accumulator) : sizeof(element)),
                            cudaMemcpyDeviceToDevice, stream_),
            rank_, "cudaMemcpyAsync");
    } else if constexpr (Reduction::accumulates) {
      if (becomes == form::partial)
        store_as<true, false>(static_cast<const element*>(arriving), static_cast<accumulator*>(out), count);
      else if (travels == form::partial)
        store_as<false, true>(static_cast<const accumulator*>(arriving), static_cast<element*>(out), count);
      else
        store_as<true, true>(static_cast<const element*>(arriving), static_cast<element*>(out), count);
    }
  }

  void combine(const void* left, form left_form, const void* right, form right_form, void* out, form becomes,
               std::size_t count) const {
    if (count == 0) return;
    if constexpr (!Reduction::accumulates) {
      combine_as<false, false, false>(static_cast<const element*>(left), static_cast<const element*>(right),
                                      static_cast<element*>(out), count);
    } else {
      const auto with_right = [&]<bool Lifts_left>(const auto* from) {
        if (right_form == form::input)
          to<Lifts_left, true>(from, static_cast<const element*>(right), out, becomes, count);
        else
          to<Lifts_left, false>(from, static_cast<const accumulator*>(right), out, becomes, count);
      };
      if (left_form == form::input)
        with_right.template operator()<true>(static_cast<const element*>(left));
      else
        with_right.template operator()<false>(static_cast<const accumulator*>(left));
    }
  }

 private:
  static unsigned blocks(std::size_t count) {
    const std::size_t wanted = (count + 511) / 512;
    return unsigned(wanted < 1024 ? wanted : 1024);
  }
  template <bool Lifts, bool Lowers, class From, class To>
  void store_as(const From* from, To* out, std::size_t count) const {
    store_kernel<Reduction, Lifts, Lowers><<<blocks(count), 512, 0, stream_>>>(op_, from, out, count, size_);
    expect_launched(rank_, "store_kernel");
  }
  template <bool Lifts_left, bool Lifts_right, class Left, class Right>
  void to(const Left* left, const Right* right, void* out, form becomes, std::size_t count) const {
    if (becomes == form::final)
      combine_as<Lifts_left, Lifts_right, true>(left, right, static_cast<element*>(out), count);
    else
      combine_as<Lifts_left, Lifts_right, false>(left, right, static_cast<accumulator*>(out), count);
  }
  template <bool Lifts_left, bool Lifts_right, bool Lowers, class Left, class Right, class Out>
  void combine_as(const Left* left, const Right* right, Out* out, std::size_t count) const {
    combine_kernel<Reduction, Lifts_left, Lifts_right, Lowers>
        <<<blocks(count), 512, 0, stream_>>>(op_, left, right, out, count, size_);
    expect_launched(rank_, "combine_kernel");
  }

  const Reduction& op_;
  int size_;
  cudaStream_t stream_;
  int rank_;
};

}  // namespace tutti::detail
