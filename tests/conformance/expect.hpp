// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>

namespace conformance {

/// In a rank: says what is wrong, and where.
inline void expect(bool holds, const char* what, int rank) {
  if (!holds) throw std::runtime_error(std::string(what) + " on rank " + std::to_string(rank));
}

}  // namespace conformance
