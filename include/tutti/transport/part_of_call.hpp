// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::detail {

/// How a communicator speaks of its calls. Where it is a part that an algorithm works with, its user knows neither its
/// ranks nor its operations: then ranks are called by their numbers in the whole, and an operation is a stage of what
/// was called there. Ranks whose whole calls differ find out in the first stage that they share.
class part_of_call {
 public:
  void name_ranks(std::vector<int>&& names) { names_ = std::move(names); }
  int called(int rank) const { return names_.empty() || rank < 0 ? rank : names_[std::size_t(rank)]; }

  /// Where the world itself is a part of a larger one: what its ranks are called there. The list stays where it is.
  void name_world(const std::vector<int>* names) { world_names_ = names; }
  const std::vector<int>* world_names() const { return world_names_; }
  int called_in_world(int rank) const {
    return world_names_ == nullptr || rank < 0 ? rank : (*world_names_)[std::size_t(rank)];
  }

  /// From here on operations are stages of that call; null: they are calls of their own.
  void stand_for(const descriptor* whole) { whole_ = whole; }

 protected:
  ~part_of_call() = default;
  const descriptor& stands_for(const descriptor& call) const { return whole_ == nullptr ? call : *whole_; }
  /// Writes down what the peers shall compare; nothing where that stands there already: the lines may be with a peer's
  /// core, and bringing them back takes as long as a small operation.
  void note_call(const descriptor& call, descriptor& note) const {
    if (whole_ == nullptr) {
      if (note.hash != call.hash) note = call;
      return;
    }
    note = *whole_;
    note.chunk = call.chunk;
    note.hash = mix(whole_->hash, call.hash) | 1;
  }

 private:
  std::vector<int> names_;
  const std::vector<int>* world_names_ = nullptr;
  const descriptor* whole_ = nullptr;
};

}  // namespace tutti::detail
