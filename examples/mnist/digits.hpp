// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mnist {

inline constexpr std::size_t image_side = 28;
inline constexpr std::size_t image_size = image_side * image_side;
inline constexpr std::size_t classes = 10;

/// Labelled images. Pixels stay bytes (a quarter of the memory of floats); a batch scales its own.
struct digits {
  std::vector<std::uint8_t> pixels;  // image after image, row by row
  std::vector<std::uint8_t> labels;

  std::size_t size() const { return labels.size(); }

  std::span<const std::uint8_t> image(std::size_t index) const {
    return std::span(pixels).subspan(index * image_size, image_size);
  }

  /// Keeps the first `count` images (all of them where there are fewer).
  void keep_first(std::size_t count) {
    if (count >= size()) return;
    labels.resize(count);
    pixels.resize(count * image_size);
  }
};

struct dataset {
  digits train;
  digits test;
};

}  // namespace mnist
