// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mnist {

/// A fully connected layer, and where its parameters lie in the flat buffer of the whole model.
struct dense_layer {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t weights = 0;  ///< begin here; those of one input lie side by side
  std::size_t bias = 0;     ///< begins here, right behind the weights

  std::size_t end() const { return bias + outputs; }
};

/// The layers of a model: `widths` from the pixels to the classes, e.g. 784 300 10.
inline std::vector<dense_layer> layers_between(std::span<const std::size_t> widths) {
  std::vector<dense_layer> layers;
  std::size_t begin = 0;
  for (std::size_t at = 1; at < widths.size(); ++at) {
    const std::size_t inputs = widths[at - 1], outputs = widths[at];
    layers.push_back({inputs, outputs, begin, begin + inputs * outputs});
    begin = layers.back().end();
  }
  return layers;
}

/// The weights a training begins with; the same seed gives the same. Biases are left alone.
inline void draw_weights(std::span<const dense_layer> layers, std::uint64_t seed, std::span<float> parameters) {
  auto engine = make_engine(seed, 0);
  for (const auto& layer : layers) {  // He: keeps the variance through ReLUs
    const float deviation = std::sqrt(2.0F / static_cast<float>(layer.inputs));
    for (float& weight : parameters.subspan(layer.weights, layer.inputs * layer.outputs)) {
      weight = deviation * draw_normal(engine);
    }
  }
}

}  // namespace mnist
