// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace conformance {

/// count elements between two guards that nobody may write. Poisoned: what a collective should have written
/// and didn't can't look right.
template <class Type>
class guarded {
 public:
  explicit guarded(std::size_t count) : count_(count), memory_((count + 2 * guards) * sizeof(Type) / sizeof(unit) + 1) {
    poison();
  }

  std::span<Type> span() { return {reinterpret_cast<Type*>(bytes() + guard_bytes), count_}; }
  std::span<const Type> span() const { return {reinterpret_cast<const Type*>(bytes() + guard_bytes), count_}; }

  void poison() {
    std::memset(bytes(), guard_byte, 2 * guard_bytes + count_ * sizeof(Type));
    std::memset(bytes() + guard_bytes, poison_byte, count_ * sizeof(Type));
  }
  void fill(std::span<const Type> values) {
    poison();
    if (count_ != 0) std::memcpy(bytes() + guard_bytes, values.data(), count_ * sizeof(Type));
  }
  bool guards_intact() const {
    return all(bytes(), guard_bytes, guard_byte) &&
           all(bytes() + guard_bytes + count_ * sizeof(Type), guard_bytes, guard_byte);
  }
  bool untouched() const { return all(bytes() + guard_bytes, count_ * sizeof(Type), poison_byte); }

 private:
  struct alignas(alignof(Type) > 16 ? alignof(Type) : 16) unit {
    std::byte bytes[alignof(Type) > 16 ? alignof(Type) : 16];
  };
  static constexpr std::size_t guards = sizeof(Type) < 64 ? 64 / sizeof(Type) + 1 : 1;
  static constexpr std::size_t guard_bytes = guards * sizeof(Type);
  static constexpr unsigned char guard_byte = 0xA5, poison_byte = 0xEE;

  static bool all(const unsigned char* from, std::size_t count, unsigned char value) {
    for (std::size_t i = 0; i < count; ++i)
      if (from[i] != value) return false;
    return true;
  }
  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(memory_.data()); }
  const unsigned char* bytes() const { return reinterpret_cast<const unsigned char*>(memory_.data()); }

  std::size_t count_;
  std::vector<unit> memory_;
};

}  // namespace conformance
