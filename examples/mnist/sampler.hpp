// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace mnist {

/// Which images a rank trains on. All ranks shuffle alike, cut the order into global batches, and rank r of p
/// takes elements r, r + p, r + 2p, ... of each: disjoint, nothing padded, nothing dropped. Shares differ by
/// at most one; some are empty where a batch has fewer images than there are ranks. The global batches don't
/// depend on p, so neither does the loss curve.
class sampler {
 public:
  sampler(std::size_t count, std::size_t batch, int rank, int size, std::uint64_t seed)
      : batch_(batch),
        rank_(static_cast<std::size_t>(rank)),
        size_(static_cast<std::size_t>(size)),
        seed_(seed),
        order_(count) {
    if (batch == 0 || size < 1 || rank < 0 || rank >= size) {
      throw std::invalid_argument("sampler: needs a batch of at least 1 and a rank in [0, size)");
    }
    start_epoch(0);
  }

  /// A new order that depends on the seed and the epoch alone.
  void start_epoch(std::uint64_t epoch) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    auto engine = make_engine(seed_, 1 + epoch);  // purpose 0 is the weights
    shuffle(order_, engine);
  }

  std::size_t batches() const { return (order_.size() + batch_ - 1) / batch_; }

  /// The images of a batch on all ranks together; the last batch may be smaller.
  std::size_t global_size(std::size_t batch) const { return std::min(batch_, order_.size() - batch * batch_); }

  /// The most images that this rank ever gets from a batch.
  std::size_t largest_share() const { return (std::min(batch_, order_.size()) + size_ - 1 - rank_) / size_; }

  /// This rank's images of a batch; valid until the next call.
  std::span<const std::uint32_t> share(std::size_t batch) {
    const std::size_t first = batch * batch_;
    share_.clear();
    for (std::size_t at = rank_; at < global_size(batch); at += size_) {
      share_.push_back(order_[first + at]);
    }
    return share_;
  }

 private:
  std::size_t batch_, rank_, size_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> order_, share_;
};

}  // namespace mnist
