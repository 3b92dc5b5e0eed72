// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// One message between two ranks on its way: what send and recv hand to a transport.
struct parcel {
  int peer = 0;
  int tag = 0;
  std::byte* data = nullptr;  // a send only reads it
  std::size_t bytes = 0;
  std::size_t element_bytes = 1;
  std::uint64_t type = 0;                              // hash of the element type; both sides must have the same
  bool until_matched = false;                          // a send that ends when its receiver has it
  std::byte* (*room)(parcel&, std::size_t) = nullptr;  // a recv of unknown length asks here for memory
  void* owner = nullptr;                               // of room

  // The transport's.
  bool begun = false, done = false;
  std::size_t moved = 0;
  std::uint64_t last_letter = 0;
  parcel* next = nullptr;
};

}  // namespace tutti::detail
