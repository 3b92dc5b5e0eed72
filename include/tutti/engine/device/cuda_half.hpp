// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/op/half.hpp>

// Named only: who uses them includes their headers, which take a second to compile.
struct __half;
struct __nv_bfloat16;

namespace tutti::detail {

/// CUDA's 16-bit floats are folded as tutti's are: in float, rounded once.
template <>
inline constexpr bool folds_in_float<__half> = true;
template <>
inline constexpr bool folds_in_float<__nv_bfloat16> = true;

}  // namespace tutti::detail
