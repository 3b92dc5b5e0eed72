// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/collective/async.hpp>
#include <tutti/collective/call.hpp>
#include <tutti/core/buffer.hpp>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace tutti {

/// Reduces many tensors in few calls: tensors are put side by side in buckets, and each bucket's all_reduce is issued
/// as soon as it is full, so that it runs while the next tensors are made. What distributed training does with
/// gradients.
///     tutti::bucketer<float, tutti::shm::communicator, tutti::avg> bucket(world, 4 * tutti::MiB);
///     for (each layer, last first) { compute its gradient; bucket.add(gradient); }
///     bucket.finish();                       // all gradients are reduced, in place
///
/// All ranks add tensors of the same lengths in the same order. A tensor must stay where it is until finish() returns.
/// One that fills a bucket alone is reduced where it lies; the others are copied in and out. Buckets are kept from one
/// round to the next, so that only the first one allocates. Throws as all_reduce. Cost: one all_reduce a bucket, two
/// copies of what is smaller than a bucket.
template <class Element, class Communicator, operator_like Op, class Algorithm = automatic>
class bucketer {
 public:
  bucketer(Communicator& comm, std::size_t bucket_bytes, Op op = {}, Algorithm algorithm = {})
      : comm_(comm),
        capacity_(bucket_bytes < sizeof(Element) ? 1 : bucket_bytes / sizeof(Element)),
        op_(std::move(op)),
        algorithm_(algorithm) {}
  bucketer(const bucketer&) = delete;
  bucketer& operator=(const bucketer&) = delete;

  /// This tensor's values will be reduced. Moves on what was issued before, without waiting for it.
  template <writable_range Tensor>
  void add(Tensor&& tensor) {
    static_assert(std::is_same_v<element_of<Tensor>, Element>, "tutti: a bucketer takes tensors of its element type");
    const auto values = detail::write_view(tensor);
    if (values.count == 0) return;
    if (open_ && current().used + values.count > capacity_) issue();
    if (values.count >= capacity_) {
      bucket& alone = take_bucket();
      alone.under_way = async::all_reduce(comm_, tensor, op_, algorithm_);
    } else {
      if (!open_) {
        take_bucket();
        open_ = true;
      }
      bucket& to = current();
      if (to.memory.size() < capacity_) to.memory.resize(capacity_);
      std::memcpy(to.memory.data() + to.used, values.data, values.count * sizeof(Element));
      to.tensors.push_back(values);
      to.used += values.count;
    }
    progress();
  }

  /// Issues what is left and waits for all; afterwards every tensor holds its reduced values.
  void finish() {
    if (open_) issue();
    for (std::size_t i = 0; i < taken_; ++i) {
      bucket& one = buckets_[i];
      one.under_way.wait();
      const Element* from = one.memory.data();
      for (const auto& tensor : one.tensors) {
        std::memcpy(tensor.data, from, tensor.count * sizeof(Element));
        from += tensor.count;
      }
      one.under_way = request<void>();
      one.tensors.clear();
      one.used = 0;
    }
    taken_ = 0;
  }

  /// Lets the issued buckets move on, without waiting: between two pieces of work.
  void progress() {
    if (taken_ > (open_ ? 1U : 0U)) buckets_[0].under_way.test();
  }

  /// How many all_reduces the tensors added so far have become; the open bucket counts.
  std::size_t buckets() const { return taken_; }

 private:
  struct bucket {
    std::vector<Element> memory;
    std::vector<detail::view<Element>> tensors;  // that lie in it, in order
    std::size_t used = 0;
    request<void> under_way;
  };

  bucket& current() { return buckets_[taken_ - 1]; }
  bucket& take_bucket() {
    if (taken_ == buckets_.size()) buckets_.emplace_back();
    return buckets_[taken_++];
  }
  void issue() {
    bucket& full = current();
    const auto part = detail::view_range<Element>{full.memory.data(), full.used};
    full.under_way = async::all_reduce(comm_, part, op_, algorithm_);
    open_ = false;
  }

  Communicator& comm_;
  std::size_t capacity_;
  Op op_;
  Algorithm algorithm_;
  std::vector<bucket> buckets_;
  std::size_t taken_ = 0;
  bool open_ = false;  // the last taken one still takes tensors
};

}  // namespace tutti
