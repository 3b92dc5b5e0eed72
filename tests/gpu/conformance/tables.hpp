// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Calls that are compiled in one place, where all algorithms are tried, and made in others.

#include "operators.hpp"
#include "row.hpp"

#include <cstring>
#include <stdexcept>
#include <vector>

namespace conformance {

/// Sums of floats by all algorithms: all_reduce, reduce, reduce_scatter, reduce_scatter_v, scan, exclusive_scan.
template <class Collective>
std::vector<row<float, tutti::sum>> sum_rows();

/// Moves of floats by all algorithms.
template <class Collective>
std::vector<row<float, no_operator>> move_rows();

/// all_reduce of what folds in order only.
std::vector<row<matrix, matrix_product>> product_rows();

/// tutti::barrier.
void meet(stream_communicator& on);

template <class Type, class Op>
bool has(const std::vector<row<Type, Op>>& rows, const char* algorithm) {
  for (const auto& one : rows)
    if (std::strcmp(one.algorithm, algorithm) == 0) return true;
  return false;
}
template <class Type, class Op>
const row<Type, Op>& by_name(const std::vector<row<Type, Op>>& rows, const char* algorithm) {
  for (const auto& one : rows)
    if (std::strcmp(one.algorithm, algorithm) == 0) return one;
  throw std::runtime_error("the test asks for an algorithm that isn't there");
}

}  // namespace conformance
