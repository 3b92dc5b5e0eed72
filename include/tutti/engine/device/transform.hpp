// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/transport/cuda_api.hpp>

#include <cstddef>

namespace tutti::detail {

/// A reduction whose result a function makes of what was folded, and of what was there before where it takes two.
template <class Reduction, class Function, bool Reads_result>
struct transformed : Reduction {
  Function function;

  static constexpr bool finishes = true;
  static constexpr bool reads_result = Reads_result;
  using element = typename Reduction::element;

  TUTTI_ANY_CALLEE
  TUTTI_FUN element finish(element before, element folded) const {
    Function call = function;  // a lambda may be mutable, and a kernel's parameter isn't
    if constexpr (Reads_result) {
      call(before, folded);
      return before;
    } else {
      call(folded);
      return folded;
    }
  }
};

/// result[i] after the function, where folding and spreading are calls of their own.
template <class Finish, class Element>
__global__ void __launch_bounds__(512)
    transform_kernel(const __grid_constant__ Finish op, const Element* folded, Element* result, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * std::size_t(blockDim.x))
    result[i] = op.finish(Finish::reads_result ? result[i] : Element{}, folded[i]);
}

}  // namespace tutti::detail
