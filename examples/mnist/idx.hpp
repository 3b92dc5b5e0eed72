// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IDX format: bytes 0, 0, element type, number of dimensions; one big-endian u32 per dimension; then
// the elements, last dimension fastest. MNIST uses type 8 (u8): three dimensions for images, one for labels.
#pragma once

#include "digits.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace mnist {

/// A data file that can't be used: what() names the file, what was expected and what was found.
struct idx_error : std::runtime_error {
  idx_error(const std::string& file, const std::string& problem) : std::runtime_error(file + ": " + problem) {}
};

namespace detail {

/// Reads a file of bytes; zlib unpacks it where it is gzip'ed and passes it through where it isn't.
class byte_reader {
 public:
  explicit byte_reader(const std::string& name) : name_(name) {
    errno = 0;
    file_.reset(gzopen(name.c_str(), "rb"));
    if (!file_) {
      throw idx_error(name, std::string("cannot open: ") + (errno != 0 ? std::strerror(errno) : "out of memory"));
    }
    gzbuffer(file_.get(), 1U << 17);
  }

  /// Up to `count` bytes; fewer only at the end of the file.
  std::size_t read(std::uint8_t* to, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
      const auto ask = static_cast<unsigned>(std::min<std::size_t>(count - done, 1U << 30));
      errno = 0;
      const int got = gzread(file_.get(), to + done, ask);
      if (got < 0) fail();
      if (got == 0) {
        int code = Z_OK;
        gzerror(file_.get(), &code);
        if (code != Z_OK) fail();  // a gzip stream that is cut off ends with Z_BUF_ERROR
        break;
      }
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  [[noreturn]] void fail() const {
    const int saved = errno;
    int code = Z_OK;
    const char* text = gzerror(file_.get(), &code);
    throw idx_error(name_, std::string("cannot read: ") + (code == Z_ERRNO ? std::strerror(saved) : text));
  }

  struct closer {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::string name_;
  std::unique_ptr<gzFile_s, closer> file_;
};

inline std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         std::uint32_t{bytes[3]};
}

inline std::string hex(std::uint32_t value) {
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15U];
  return text;
}

}  // namespace detail

template <std::size_t Dimensions>
struct idx_array {
  std::array<std::size_t, Dimensions> sizes;
  std::vector<std::uint8_t> values;
};

/// Reads an IDX file of bytes with this many dimensions; throws idx_error for anything else.
template <std::size_t Dimensions>
idx_array<Dimensions> read_idx(const std::string& name) {
  static_assert(Dimensions >= 1 && Dimensions <= 255);
  detail::byte_reader file(name);

  constexpr std::size_t header_bytes = 4 + 4 * Dimensions;
  std::array<std::uint8_t, header_bytes> header{};
  const std::size_t got = file.read(header.data(), header_bytes);
  if (got >= 4) {  // a wrong magic number says more than a short header
    const std::uint32_t expected = 0x800 + Dimensions;
    const std::uint32_t magic = detail::big_endian(header.data());
    if (magic != expected) {
      throw idx_error(name, "not an IDX file of " + std::to_string(Dimensions) +
                                "-dimensional bytes: expected magic number " + detail::hex(expected) + ", found " +
                                detail::hex(magic));
    }
  }
  if (got < header_bytes) {
    throw idx_error(
        name, "truncated header: expected " + std::to_string(header_bytes) + " bytes, found " + std::to_string(got));
  }

  idx_array<Dimensions> result;
  std::size_t total = 1;
  std::string shape;
  for (std::size_t d = 0; d < Dimensions; ++d) {
    const std::size_t size = detail::big_endian(header.data() + 4 + 4 * d);
    result.sizes[d] = size;
    shape += (d == 0 ? "" : " x ") + std::to_string(size);
    constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
    if (size != 0 && total > static_cast<std::size_t>(most) / size) {
      throw idx_error(name,
                      "size overflow: expected at most " + std::to_string(most) + " bytes, found dimensions " + shape);
    }
    total *= size;
  }

  // The vector grows with what is really there: a header that promises terabytes must not allocate them.
  constexpr std::size_t block = std::size_t{8} << 20;
  while (result.values.size() < total) {
    const std::size_t have = result.values.size();
    const std::size_t ask = std::min(block, total - have);
    result.values.resize(have + ask);
    const std::size_t more = file.read(result.values.data() + have, ask);
    if (more < ask) {
      throw idx_error(name, "truncated: expected " + std::to_string(total) + " bytes of data (" + shape + "), found " +
                                std::to_string(have + more));
    }
  }
  std::uint8_t extra = 0;
  if (file.read(&extra, 1) != 0) {
    throw idx_error(name, "trailing bytes: expected the end of the file after " + std::to_string(total) +
                              " bytes of data (" + shape + "), found more");
  }
  return result;
}

/// Reads images and their labels; throws idx_error unless they are digits of 28 x 28 pixels that belong together.
inline digits read_digits(const std::string& images_name, const std::string& labels_name) {
  auto images = read_idx<3>(images_name);
  const auto [count, rows, columns] = images.sizes;
  if (rows != image_side || columns != image_side) {
    throw idx_error(images_name, "wrong image size: expected 28 x 28, found " + std::to_string(rows) + " x " +
                                     std::to_string(columns));
  }
  if (count == 0) throw idx_error(images_name, "no images: expected at least 1, found 0");

  auto labels = read_idx<1>(labels_name);
  if (labels.sizes[0] != count) {
    throw idx_error(labels_name, "as many labels as images: expected " + std::to_string(count) + " (" + images_name +
                                     "), found " + std::to_string(labels.sizes[0]));
  }
  const auto bad =
      std::find_if(labels.values.begin(), labels.values.end(), [](std::uint8_t label) { return label >= classes; });
  if (bad != labels.values.end()) {
    throw idx_error(labels_name, "label " + std::to_string(bad - labels.values.begin()) + ": expected 0 to 9, found " +
                                     std::to_string(*bad));
  }
  return {std::move(images.values), std::move(labels.values)};
}

}  // namespace mnist
