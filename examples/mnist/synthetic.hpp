// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "digits.hpp"
#include "random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mnist {

/// A data set without files, the same on every machine: ten random prototypes, lit in a fifth of their pixels
/// as digits are; an image is one of them with most lit pixels lost and as many stray ones.
inline dataset make_synthetic(std::size_t train_count = 6000, std::size_t test_count = 1000) {
  auto engine = make_engine(0, 0);
  const auto one_in = [&engine](std::uint32_t n) { return draw_below(engine, n) == 0; };
  std::array<std::array<bool, image_size>, classes> prototypes{};
  for (auto& prototype : prototypes) {
    for (bool& lit : prototype) lit = one_in(5);
  }

  const auto make = [&](std::size_t count) {
    digits set;
    set.pixels.reserve(count * image_size);
    set.labels.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
      const std::uint32_t label = draw_below(engine, classes);
      set.labels.push_back(static_cast<std::uint8_t>(label));
      for (const bool lit : prototypes[label]) {
        const bool visible = one_in(lit ? 3 : 6);
        set.pixels.push_back(visible ? static_cast<std::uint8_t>(64 + draw_below(engine, 192)) : std::uint8_t{0});
      }
    }
    return set;
  };
  dataset sets;
  sets.train = make(train_count);
  sets.test = make(test_count);
  return sets;
}

}  // namespace mnist
