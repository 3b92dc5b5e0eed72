// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>

namespace tutti::detail {

/// Sees what a communicator doesn't see itself: whether its peers' processes live, what happens on another transport
/// between the same ranks. It is asked from time to time while a call waits, and stays for the communicator's parts.
class onlooker {
 public:
  /// A rank waits in a collective. Throws where that makes no sense any more, or makes the failure known to the
  /// communicator's world.
  virtual void look(const char* collective, int rank) = 0;
  /// This rank has failed.
  virtual void heard(errc, const char*) noexcept {}

  onlooker* next_onlooker = nullptr;

 protected:
  ~onlooker() = default;
};

}  // namespace tutti::detail
