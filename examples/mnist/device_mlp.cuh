// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device.cuh"
#include "digits.hpp"
#include "kernels.cuh"
#include "layers.hpp"
#include "matrix_product.cuh"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mnist {

/// Labelled images on the device, as bytes.
struct device_digits {
  device_array<std::uint8_t> pixels;
  device_array<std::uint8_t> labels;

  device_digits(const digits& from, cudaStream_t stream)
      : pixels(std::span<const std::uint8_t>(from.pixels), stream),
        labels(std::span<const std::uint8_t>(from.labels), stream) {}
};

/// The perceptron of mlp.hpp on a device: the same parameters at the same places, from the same seed. Calls enqueue
/// their work on the stream. A matrix lies row by row: of activations and deltas a row a sample, of weights a row an
/// input.
class device_mlp {
 public:
  device_mlp(std::span<const std::size_t> widths, std::size_t largest_batch, std::uint64_t seed, cudaStream_t stream)
      : stream_(stream),
        layers_(layers_between(widths)),
        parameters_(total()),
        gradients_(total()),
        velocity_(total()),
        images_(largest_batch * image_size) {
    for (const auto& layer : layers_) {
      activations_.emplace_back(largest_batch * layer.outputs);
      deltas_.emplace_back(largest_batch * layer.outputs);
    }
    std::vector<float> initial(total(), 0.0F);
    draw_weights(layers_, seed, initial);
    parameters_.upload(initial, stream_);
    velocity_.fill_with_zeros(stream_);
  }

  /// Of all layers, one flat range.
  std::span<float> gradients() { return {gradients_.data(), gradients_.size()}; }
  /// A copy on the host, there when the stream has run dry.
  std::vector<float> parameters() const { return parameters_.download(stream_); }

  /// gradients() become those of the loss summed over the batch, `losses` gets the loss of each sample. An empty batch
  /// gives zeros.
  void find_gradients(const device_digits& from, picked_images picked, std::size_t count, float* losses) {
    if (count == 0) return gradients_.fill_with_zeros(stream_);
    forward(from, picked, count);
    judge<<<blocks(count, 64), 64, 0, stream_>>>(activations_.back().data(), from.labels.data(), picked, count,
                                                 deltas_.back().data(), losses);
    expect_launched("judge");
    for (std::size_t at = layers_.size(); at-- > 0;) backward(at, count);
  }

  /// `hits` gets 1 for each sample of the batch that the model gets right, else 0.
  void test(const device_digits& from, picked_images picked, std::size_t count, float* hits) {
    if (count == 0) return;
    forward(from, picked, count);
    find_hits<<<blocks(count, 64), 64, 0, stream_>>>(activations_.back().data(), from.labels.data(), picked, count,
                                                     hits);
    expect_launched("find_hits");
  }

  void step(const descent& how) {
    descend<<<blocks(total(), 256), 256, 0, stream_>>>(parameters_.data(), velocity_.data(), gradients_.data(), total(),
                                                       how);
    expect_launched("descend");
  }

 private:
  std::size_t total() const { return layers_.back().end(); }

  static unsigned blocks(std::size_t threads, std::size_t a_block) {
    return static_cast<unsigned>((threads + a_block - 1) / a_block);
  }
  static product_shape shape(std::size_t rows, std::size_t columns, std::size_t depth) {
    return {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(depth)};
  }

  /// What goes into a layer.
  const float* input(std::size_t at) const { return at == 0 ? images_.data() : activations_[at - 1].data(); }

  void forward(const device_digits& from, picked_images picked, std::size_t count) {
    gather_images<<<static_cast<unsigned>(count), 256, 0, stream_>>>(from.pixels.data(), picked, images_.data());
    expect_launched("gather_images");
    for (std::size_t at = 0; at < layers_.size(); ++at) {
      const auto& layer = layers_[at];
      const float* weights = parameters_.data() + layer.weights;
      const float* bias = parameters_.data() + layer.bias;
      float* out = activations_[at].data();
      const auto size = shape(count, layer.outputs, layer.inputs);
      if (at + 1 < layers_.size()) {
        enqueue_product<false, false>(stream_, input(at), weights, out, size, add_bias_and_rectify{bias});
      } else {
        enqueue_product<false, false>(stream_, input(at), weights, out, size, add_bias{bias});
      }
    }
  }

  /// From a layer's deltas to its gradients and to the deltas of the layer below.
  void backward(std::size_t at, std::size_t count) {
    const auto& layer = layers_[at];
    const float* delta = deltas_[at].data();
    enqueue_product<true, false>(stream_, input(at), delta, gradients_.data() + layer.weights,
                                 shape(layer.inputs, layer.outputs, count), as_it_is{});
    add_up_columns<<<blocks(layer.outputs, sum_columns), dim3(sum_columns, sum_rows), 0, stream_>>>(
        delta, count, layer.outputs, gradients_.data() + layer.bias);
    expect_launched("add_up_columns");
    if (at == 0) return;
    enqueue_product<false, true>(stream_, delta, parameters_.data() + layer.weights, deltas_[at - 1].data(),
                                 shape(count, layer.inputs, layer.outputs),
                                 where_active{activations_[at - 1].data(), static_cast<std::uint32_t>(layer.inputs)});
  }

  cudaStream_t stream_;
  std::vector<dense_layer> layers_;
  device_array<float> parameters_, gradients_, velocity_;
  device_array<float> images_;                             // the batch
  std::vector<device_array<float>> activations_, deltas_;  // of each layer
};

}  // namespace mnist
