// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/op/half.hpp>
#include <tutti/transport/push_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tutti::detail {

// Loops over a few registers.
#if defined(__CUDA_ARCH__)
#  define TUTTI_UNROLL _Pragma("unroll")
#else
#  define TUTTI_UNROLL
#endif

constexpr std::size_t common_divisor(std::size_t a, std::size_t b) { return b == 0 ? a : common_divisor(b, a % b); }

/// Types of which one NaN may become another: their packs are all data. Others leave the last word to the flag.
template <class Element>
struct gives_up_a_nan
    : std::bool_constant<(std::is_floating_point_v<Element> && sizeof(Element) <= 8) || narrow_float<Element>> {};

/// How elements of a type lie in packs: `elements` of them in `packs` packs, a unit.
template <class Element>
struct packing {
  static constexpr bool all_data = gives_up_a_nan<Element>::value;
  static constexpr std::size_t payload = all_data ? 16 : 12;
  static constexpr int elements = int(payload / common_divisor(sizeof(Element), payload));
  static constexpr int packs = int(sizeof(Element) * std::size_t(elements) / payload);
  /// A unit that a thread can hold in its registers.
  static constexpr bool fits = std::is_trivially_copyable_v<Element> && std::is_default_constructible_v<Element> &&
                               sizeof(Element) * std::size_t(elements) <= 192;

  TUTTI_FUN static constexpr std::size_t units(std::size_t count) {
    return (count + std::size_t(elements) - 1) / std::size_t(elements);
  }

  TUTTI_FUN static void put(const Element (&values)[elements], pack (&to)[packs]) {
    const auto* from = reinterpret_cast<const char*>(values);
    TUTTI_UNROLL
    for (int i = 0; i < packs; ++i) {
      memcpy(&to[i], from + std::size_t(i) * payload, payload);
      if constexpr (!all_data)
        to[i].word[3] = 0;
      else if (to[i].word[3] == empty_word)
        to[i].word[3] = other_nan_word;
    }
  }
  TUTTI_FUN static void get(const pack (&from)[packs], Element (&values)[elements]) {
    auto* to = reinterpret_cast<char*>(values);
    TUTTI_UNROLL
    for (int i = 0; i < packs; ++i) memcpy(to + std::size_t(i) * payload, &from[i], payload);
  }

  /// What its receivers make of them: the one NaN is another on all ranks.
  TUTTI_FUN static void as_sent(Element (&values)[elements]) {
    if constexpr (all_data) {
      pack one[packs];
      put(values, one);
      get(one, values);
    }
  }

  /// The elements of a unit, of which `have` are there. Aligned: on 16 bytes, and all are.
  TUTTI_FUN static void read(const Element* from, int have, bool aligned, Element (&values)[elements]) {
    if constexpr (all_data) {
      if (aligned && have == elements) {
        const pack whole = *reinterpret_cast<const pack*>(from);
        memcpy(static_cast<void*>(values), &whole, sizeof whole);
        return;
      }
    }
    TUTTI_UNROLL
    for (int i = 0; i < elements; ++i) values[i] = i < have ? from[i] : Element{};
  }
  TUTTI_FUN static void write(const Element (&values)[elements], int have, bool aligned, Element* to) {
    if constexpr (all_data) {
      if (aligned && have == elements) {
        pack whole;
        memcpy(&whole, values, sizeof whole);
        *reinterpret_cast<pack*>(to) = whole;
        return;
      }
    }
    TUTTI_UNROLL
    for (int i = 0; i < elements; ++i)
      if (i < have) to[i] = values[i];
  }
};

}  // namespace tutti::detail
