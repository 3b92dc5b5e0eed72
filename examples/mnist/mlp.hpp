// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "digits.hpp"
#include "layers.hpp"

#define EIGEN_DONT_PARALLELIZE  // a rank is one thread: the ranks are the parallelism
#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mnist {

/// Images as columns of floats in [0, 1]. Memory is kept from one fill to the next.
struct batch {
  Eigen::MatrixXf storage;
  std::vector<std::uint8_t> labels;

  explicit batch(std::size_t most) : storage(image_size, static_cast<Eigen::Index>(most)) { labels.reserve(most); }

  Eigen::Index count() const { return static_cast<Eigen::Index>(labels.size()); }
  auto images() const { return storage.leftCols(count()); }

  void clear() { labels.clear(); }

  void add(const digits& from, std::size_t index) {
    const auto image = from.image(index);
    float* column = storage.col(count()).data();
    for (std::size_t pixel = 0; pixel < image_size; ++pixel) {
      column[pixel] = static_cast<float>(image[pixel]) * (1.0F / 255.0F);
    }
    labels.push_back(from.labels[index]);
  }
};

/// A multi-layer perceptron: ReLU between layers, softmax and cross-entropy at the end, SGD with momentum.
/// All parameters lie in one flat buffer and all gradients in another (layer by layer: weights, bias), so
/// that they travel as few long tensors; the matrices are views of them.
class mlp {
 public:
  /// `widths` from the pixels to the classes, e.g. 784 300 10. The same seed gives the same weights.
  mlp(const std::vector<std::size_t>& widths, std::size_t largest_batch, std::uint64_t seed)
      : layers_(layers_between(widths)), activations_(layers()), deltas_(layers()) {
    const auto total = static_cast<Eigen::Index>(layers_.back().end());
    for (std::size_t layer = 0; layer < layers(); ++layer) {
      const auto most = static_cast<Eigen::Index>(largest_batch);
      activations_[layer].resize(rows(layer), most);
      deltas_[layer].resize(rows(layer), most);
    }
    parameters_.setZero(total);
    gradients_.setZero(total);
    velocity_.setZero(total);
    draw_weights(layers_, seed, parameters());
  }

  std::span<const float> parameters() const { return flat(parameters_); }
  std::span<float> parameters() { return flat(parameters_); }
  std::span<float> gradients() { return flat(gradients_); }

  /// The loss summed over the batch; gradients() become the gradients of that sum. An empty batch gives zeros.
  double loss_and_gradients(const batch& input) {
    return loss_and_gradients(input, [](std::span<float>) {});
  }

  /// The same; calls ready(gradients of a layer) as soon as it has them, for the last layer first.
  template <class Ready>
  double loss_and_gradients(const batch& input, Ready&& ready) {
    const auto count = input.count();
    if (count == 0) {
      gradients_.setZero();
      for (std::size_t layer = layers(); layer-- > 0;) ready(gradients_of(layer));
      return 0.0;
    }
    forward(input);
    const double loss = softmax(input);
    for (std::size_t layer = layers(); layer-- > 0;) {
      const auto delta = deltas_[layer].leftCols(count);
      if (layer == 0) {
        weights(gradients_, layer).noalias() = delta * input.images().transpose();
      } else {
        weights(gradients_, layer).noalias() = delta * activations_[layer - 1].leftCols(count).transpose();
      }
      bias(gradients_, layer) = delta.rowwise().sum();
      ready(gradients_of(layer));
      if (layer > 0) {
        auto below = deltas_[layer - 1].leftCols(count);
        below.noalias() = weights(parameters_, layer).transpose() * delta;
        below.array() *= (activations_[layer - 1].leftCols(count).array() > 0.0F).template cast<float>();
      }
    }
    return loss;
  }

  /// How many of the batch the model gets right.
  std::size_t correct(const batch& input) {
    if (input.count() == 0) return 0;
    forward(input);
    std::size_t right = 0;
    for (Eigen::Index sample = 0; sample < input.count(); ++sample) {
      Eigen::Index best = 0;
      activations_.back().col(sample).maxCoeff(&best);
      right += best == input.labels[static_cast<std::size_t>(sample)] ? 1U : 0U;
    }
    return right;
  }

  /// One step down: velocity = momentum * velocity + gradients * scale, parameters -= rate * velocity.
  void step(float rate, float momentum, float scale) {
    velocity_ = momentum * velocity_ + scale * gradients_;
    parameters_ -= rate * velocity_;
  }

 private:
  std::size_t layers() const { return layers_.size(); }
  Eigen::Index rows(std::size_t layer) const { return static_cast<Eigen::Index>(layers_[layer].outputs); }
  Eigen::Index columns(std::size_t layer) const { return static_cast<Eigen::Index>(layers_[layer].inputs); }

  Eigen::Map<Eigen::MatrixXf> weights(Eigen::VectorXf& buffer, std::size_t layer) {
    return {buffer.data() + layers_[layer].weights, rows(layer), columns(layer)};
  }
  Eigen::Map<Eigen::VectorXf> bias(Eigen::VectorXf& buffer, std::size_t layer) {
    return {buffer.data() + layers_[layer].bias, rows(layer)};
  }

  std::span<float> gradients_of(std::size_t layer) {
    return gradients().subspan(layers_[layer].weights, layers_[layer].end() - layers_[layer].weights);
  }

  static std::span<float> flat(Eigen::VectorXf& buffer) {
    return {buffer.data(), static_cast<std::size_t>(buffer.size())};
  }
  static std::span<const float> flat(const Eigen::VectorXf& buffer) {
    return {buffer.data(), static_cast<std::size_t>(buffer.size())};
  }

  void forward(const batch& input) {
    for (std::size_t layer = 0; layer < layers(); ++layer) {
      auto out = activations_[layer].leftCols(input.count());
      if (layer == 0) {
        out.noalias() = weights(parameters_, layer) * input.images();
      } else {
        out.noalias() = weights(parameters_, layer) * activations_[layer - 1].leftCols(input.count());
      }
      out.colwise() += bias(parameters_, layer);
      if (layer + 1 < layers()) out = out.cwiseMax(0.0F);
    }
  }

  /// Turns the logits into the last layer's delta (probabilities minus the truth) and sums the loss.
  double softmax(const batch& input) {
    double loss = 0.0;
    for (Eigen::Index sample = 0; sample < input.count(); ++sample) {
      const auto logits = activations_.back().col(sample);
      auto delta = deltas_.back().col(sample);
      const Eigen::Index truth = input.labels[static_cast<std::size_t>(sample)];
      const float highest = logits.maxCoeff();  // keeps exp from overflowing
      delta = (logits.array() - highest).exp();
      const float sum = delta.sum();
      loss += static_cast<double>(std::log(sum) + highest - logits(truth));
      delta /= sum;
      delta(truth) -= 1.0F;
    }
    return loss;
  }

  std::vector<dense_layer> layers_;
  Eigen::VectorXf parameters_, gradients_, velocity_;
  std::vector<Eigen::MatrixXf> activations_, deltas_;  // of each layer, one column a sample
};

}  // namespace mnist
