// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace conformance {

/// count elements between two guards that nobody may write. Poisoned: what a collective should have written
/// and didn't can't look right.
template <class Type>
class guarded {
 public:
  explicit guarded(std::size_t count) : guarded(count, std::shared_ptr<std::byte>()) {}
  /// In this memory of bytes_for(count), if there is any, else in its own.
  guarded(std::size_t count, std::shared_ptr<std::byte> memory)
      : count_(count), own_(memory ? 0 : units(count)), memory_(std::move(memory)) {
    poison();
  }
  static std::size_t bytes_for(std::size_t count) { return units(count) * sizeof(unit); }

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
  static std::size_t units(std::size_t count) { return (count + 2 * guards) * sizeof(Type) / sizeof(unit) + 1; }
  unsigned char* bytes() {
    return memory_ ? reinterpret_cast<unsigned char*>(memory_.get()) : reinterpret_cast<unsigned char*>(own_.data());
  }
  const unsigned char* bytes() const { return const_cast<guarded*>(this)->bytes(); }

  std::size_t count_;
  std::vector<unit> own_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace conformance
