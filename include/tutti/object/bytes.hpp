// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/core/type_name.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace tutti {

/// The bytes of objects, one behind the other; a range that collectives take. They mean something to ranks of
/// the same program on the same kind of machine only: no byte order, no version. Move-only.
class packed {
 public:
  packed() = default;
  /// So many bytes of any value, to receive into.
  explicit packed(std::size_t bytes) : size_(bytes) { reserve(bytes); }
  packed(packed&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  packed& operator=(packed&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~packed() { ::operator delete(data_); }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  void append(const void* bytes, std::size_t count) {
    if (count == 0) return;
    if (count > capacity_ - size_) reserve(size_ + count > 2 * capacity_ ? size_ + count : 2 * capacity_);
    std::memcpy(data_ + size_, bytes, count);
    size_ += count;
  }

 private:
  void reserve(std::size_t bytes) {
    auto* const larger = static_cast<std::byte*>(::operator new(bytes));
    if (data_ != nullptr) std::memcpy(larger, data_, size_);
    ::operator delete(data_);
    data_ = larger;
    capacity_ = bytes;
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

namespace detail {

/// How deep types with their own serialize may hold each other: what a stack bears. Malformed bytes could ask
/// for more.
inline constexpr int deepest_object = 1000;

/// Counts a level of nesting while it lives.
class nesting {
 public:
  nesting(int& depth, const char* caller, text type) : depth_(depth) {
    if (depth_ == deepest_object)
      fail(errc::bad_argument, -1, "%s: objects hold each other more than %d deep, the innermost is a %.*s", caller,
           deepest_object, type.shown(), type.begin);
    ++depth_;
  }
  nesting(const nesting&) = delete;
  nesting& operator=(const nesting&) = delete;
  ~nesting() { --depth_; }

 private:
  int& depth_;
};

}  // namespace detail

/// The archive that serialize() meets when an object is sent: archive(a, b, c) appends the values.
class byte_writer {
 public:
  static constexpr bool reading = false;

  /// Appends to a buffer of the caller's, which must live as long.
  explicit byte_writer(packed& out) : out_(out) {}

  template <class... Types>
  void operator()(const Types&... values);

  std::size_t position() const { return out_.size(); }
  void write(const void* bytes, std::size_t count) { out_.append(bytes, count); }
  detail::nesting deeper(detail::text type) { return {depth_, "pack", type}; }

 private:
  packed& out_;
  int depth_ = 0;
};

/// The archive that serialize() meets when an object is received: archive(a, b, c) overwrites the values. Bytes
/// that can't be such an object throw errc::bad_argument; nothing is read behind the end.
class byte_reader {
 public:
  static constexpr bool reading = true;

  byte_reader(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  explicit byte_reader(const packed& bytes) : byte_reader(bytes.data(), bytes.size()) {}

  template <class... Types>
  void operator()(Types&... values);

  std::size_t position() const { return position_; }
  std::size_t left() const { return size_ - position_; }

  /// The next bytes, which are part of a value of this type.
  const std::byte* read(std::size_t count, const char* part, detail::text type) {
    if (count > left())
      detail::fail(errc::bad_argument, -1,
                   "unpack: at byte %zu: expected %zu bytes, %s of a %.*s, but %zu of %zu are left", position_, count,
                   part, type.shown(), type.begin, left(), size_);
    const std::byte* const bytes = data_ + position_;
    position_ += count;
    return bytes;
  }
  /// Such a value overwrites what stands there: bytes of count many elements.
  void read_into(void* to, std::size_t count, const char* part, detail::text type) {
    const std::byte* const bytes = read(count, part, type);
    if (count != 0) std::memcpy(to, bytes, count);
  }
  /// A number that tells cases apart: below limit.
  std::size_t read_case(std::size_t limit, const char* part, detail::text type) {
    const auto value = std::size_t(*read(1, part, type));
    if (value >= limit)
      detail::fail(errc::bad_argument, -1, "unpack: at byte %zu: expected %s of a %.*s, 0 to %zu, but it is %zu",
                   position_ - 1, part, type.shown(), type.begin, limit - 1, value);
    return value;
  }
  /// A number of elements that take at least so many bytes each: never more than what is left can hold.
  std::size_t read_count(std::size_t element_bytes, detail::text type) {
    unsigned long long count = 0;
    read_into(&count, sizeof count, "the length", type);
    if (count > left() / element_bytes)
      detail::fail(
          errc::bad_argument, -1,
          "unpack: at byte %zu: expected %llu elements of a %.*s, %zu bytes each or more, but %zu of %zu are left",
          position_, count, type.shown(), type.begin, element_bytes, left(), size_);
    return std::size_t(count);
  }
  void expect_end(detail::text type) const {
    if (left() != 0)
      detail::fail(errc::bad_argument, -1, "unpack: at byte %zu: expected the end of a %.*s, but %zu of %zu are left",
                   position_, type.shown(), type.begin, left(), size_);
  }
  detail::nesting deeper(detail::text type) { return {depth_, "unpack", type}; }

 private:
  const std::byte* data_;
  std::size_t size_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace tutti
