// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// A name of a type, cut from the compiler's own: for error texts and for comparing calls between ranks.
/// All ranks run one binary, so the same type has the same name everywhere.
struct text {
  const char* begin;
  std::size_t size;

  constexpr bool starts_with(const char* prefix) const {
    for (std::size_t i = 0; prefix[i] != 0; ++i)
      if (i >= size || begin[i] != prefix[i]) return false;
    return true;
  }
  constexpr bool contains(const char* word) const {
    for (std::size_t i = 0; i < size; ++i)
      if (text{begin + i, size - i}.starts_with(word)) return true;
    return false;
  }
  /// How much of it an error text shows: the precision of %.*s.
  constexpr int shown() const { return size < 160 ? int(size) : 160; }
  constexpr std::uint64_t hash() const {  // FNV-1a
    std::uint64_t value = 14695981039346656037u;
    for (std::size_t i = 0; i < size; ++i) value = (value ^ std::uint64_t((unsigned char)begin[i])) * 1099511628211u;
    return value;
  }
};

template <class Type>
constexpr text type_name() {
  const char* all = __PRETTY_FUNCTION__;
  std::size_t first = 0;
  while (!text{all + first, 7}.starts_with("Type = ")) ++first;
  first += 7;
  std::size_t last = first;
  while (all[last] != 0) ++last;
  return {all + first, last - first - 1};
}

}  // namespace tutti::detail
