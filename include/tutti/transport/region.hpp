// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::detail {

/// A mapping that ranks share: sparse, so that its size costs address space only. A file region belongs to
/// several processes and commits pages before use (no SIGBUS when memory runs out); an anonymous one
/// belongs to the threads of this process.
class region {
 public:
  region() = default;
  region(region&& other) noexcept : base_(other.base_), bytes_(other.bytes_), file_(other.file_) {
    other.base_ = nullptr;
    other.file_ = -1;
  }
  region& operator=(region&& other) noexcept {
    region old(static_cast<region&&>(*this));
    base_ = other.base_;
    bytes_ = other.bytes_;
    file_ = other.file_;
    other.base_ = nullptr;
    other.file_ = -1;
    return *this;
  }
  ~region() {
    if (base_ != nullptr) munmap(base_, bytes_);
    if (file_ >= 0) close(file_);
  }

  static region anonymous(std::size_t bytes) {
    region made;
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
      fail(errc::resource, -1, "tutti: can't map %zu bytes for the threads: %s", bytes, std::strerror(errno));
    made.base_ = static_cast<std::byte*>(base);
    made.bytes_ = bytes;
    return made;
  }

  /// A new file in memory that no name leads to: nothing is left behind, whatever dies. Sealed against
  /// shrinking, so that no peer can turn our reads into SIGBUS.
  static region file(std::size_t bytes) {
    const int fd = memfd_create("tutti", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) fail(errc::resource, -1, "tutti: memfd_create failed: %s", std::strerror(errno));
    if (ftruncate(fd, off_t(bytes)) != 0) {
      const int reason = errno;
      close(fd);
      fail(errc::resource, -1, "tutti: can't size the shared memory file to %zu bytes: %s", bytes,
           std::strerror(reason));
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return adopt(fd, bytes);
  }

  /// A file that a peer made is of that size and will stay so: reading its mapping never raises SIGBUS.
  static bool holds(int fd, std::size_t bytes) {
    struct stat file {};
    const int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(fd, &file) == 0 && std::size_t(file.st_size) >= bytes;
  }

  /// Maps a file that a peer made; takes the descriptor.
  static region adopt(int fd, std::size_t bytes) {
    region made;
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (base == MAP_FAILED) {
      const int reason = errno;
      close(fd);
      fail(errc::resource, -1, "tutti: can't map %zu bytes of shared memory: %s", bytes, std::strerror(reason));
    }
    made.base_ = static_cast<std::byte*>(base);
    made.bytes_ = bytes;
    made.file_ = fd;
    return made;
  }

  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  int file_descriptor() const { return file_; }
  /// Ranks that share all their memory.
  bool of_threads() const { return file_ < 0; }

  /// Makes the pages of [offset, offset + bytes) exist. Returns 0 or errno.
  int commit(std::size_t offset, std::size_t bytes) const {
    if (file_ < 0 || bytes == 0) return 0;
    int result;
    do result = fallocate(file_, 0, off_t(offset), off_t(bytes));
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
  }
  /// Gives the pages back; their bytes read as zero again.
  void punch(std::size_t offset, std::size_t bytes) const {
    if (bytes == 0) return;
    if (file_ >= 0)
      fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(offset), off_t(bytes));
    else
      madvise(base_ + offset, bytes, MADV_DONTNEED);
  }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  int file_ = -1;
};

}  // namespace tutti::detail
