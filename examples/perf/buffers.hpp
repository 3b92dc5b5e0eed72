// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace perf {

/// Whether the result can replace the input.
enum class placing { never, either, always };

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

/// The operands of a call, whatever their element is.
struct raw_operands {
  const void* in;
  std::size_t in_count;
  void* out;
  std::size_t out_count;
  int root;
  bool in_place;
};

template <class Element>
operands<Element> typed(const raw_operands& given) {
  return {std::span(static_cast<const Element*>(given.in), given.in_count),
          std::span(static_cast<Element*>(given.out), given.out_count), given.root, given.in_place};
}
template <class Element>
raw_operands untyped(const operands<Element>& given) {
  return {given.in.data(), given.in.size(), given.out.data(), given.out.size(), given.root, given.in_place};
}

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

  /// The output with all that lies in its memory.
  std::span<Element> written() { return back_.elements(); }
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
