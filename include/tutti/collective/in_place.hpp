// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/buffer.hpp>

namespace tutti {

/// Says that a collective whose input and output differ in length works in one range: the rank's own part
/// lies at its place in it.
template <contiguous_range Range>
struct in_place_range {
  Range& whole;
};

template <contiguous_range Range>
in_place_range<Range> in_place(Range& whole) {
  return {whole};
}

}  // namespace tutti
