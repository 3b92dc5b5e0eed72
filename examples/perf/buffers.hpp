// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

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
  /// take(bytes) gives memory.
  template <class Take>
  buffers(const extents& lengths, bool in_place, Take&& take)
      : lengths_(lengths),
        in_place_(in_place),
        front_(in_place ? 0 : lengths.input, take),
        back_(in_place ? larger(lengths.output, lengths.input_first + lengths.input) : lengths.output, take) {}

  std::span<Element> input() {
    return in_place_ ? back_.elements().subspan(lengths_.input_first, lengths_.input) : front_.elements();
  }
  std::span<Element> output() { return back_.elements().first(lengths_.output); }
  operands<Element> with_root(int root) { return {input(), output(), root, in_place_}; }

  /// What nobody writes afterwards is found wrong.
  void poison() {
    if (back_.count != 0)
      std::memset(static_cast<void*>(back_.memory.get()), poison_byte, back_.count * sizeof(Element));
  }

 private:
  struct block {
    std::size_t count;
    std::shared_ptr<std::byte> memory;
    template <class Take>
    block(std::size_t elements, Take& take) : count(elements), memory(take(elements * sizeof(Element))) {}
    std::span<Element> elements() { return {reinterpret_cast<Element*>(memory.get()), count}; }
  };
  static std::size_t larger(std::size_t one, std::size_t other) { return one < other ? other : one; }

  extents lengths_;
  bool in_place_;
  block front_, back_;
};

}  // namespace perf
