// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace perf {

/// What a rank has in a call, in elements. In place, the input begins at element input_first of the output.
struct extents {
  std::size_t input = 0;
  std::size_t output = 0;
  std::size_t input_first = 0;
};

/// What a call gets. in and out overlap where it works in place.
template <class Element>
struct operands {
  std::span<const Element> in;
  std::span<Element> out;
  int root = 0;
  bool in_place = false;
};

/// The memory of a rank for one size.
template <class Element>
class buffers {
 public:
  buffers(const extents& lengths, bool in_place)
      : lengths_(lengths),
        in_place_(in_place),
        front_(in_place ? 0 : lengths.input),
        back_(in_place ? larger(lengths.output, lengths.input_first + lengths.input) : lengths.output) {}

  std::span<Element> input() {
    return in_place_ ? std::span(back_).subspan(lengths_.input_first, lengths_.input) : std::span(front_);
  }
  std::span<Element> output() { return std::span(back_).first(lengths_.output); }
  operands<Element> with_root(int root) { return {input(), output(), root, in_place_}; }

  /// What nobody writes afterwards is found wrong.
  void poison() {
    if (!back_.empty()) std::memset(static_cast<void*>(back_.data()), poison_byte, back_.size() * sizeof(Element));
  }

 private:
  static std::size_t larger(std::size_t one, std::size_t other) { return one < other ? other : one; }

  extents lengths_;
  bool in_place_;
  std::vector<Element> front_, back_;
};

}  // namespace perf
