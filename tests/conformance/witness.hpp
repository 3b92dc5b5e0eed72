// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <atomic>

#include <sys/mman.h>

namespace conformance {

/// Where ranks that were not forked from this process have a page in common, by other means than tutti.
struct common_page {
  void* (*take)() = nullptr;
  void (*give_back)(void*) = nullptr;
};
inline common_page pages;

/// Memory that threads and forked children share by other means than tutti.
class witness {
 public:
  static constexpr int most = 32;
  witness()
      : words_(static_cast<std::atomic<int>*>(
            pages.take != nullptr ? pages.take()
                                  : mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(static_cast<void*>(words_) != MAP_FAILED);
  }
  ~witness() {
    if (pages.give_back != nullptr)
      pages.give_back(words_);
    else
      munmap(words_, 4096);
  }
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;
  std::atomic<int>& operator[](int rank) { return words_[rank]; }

 private:
  std::atomic<int>* words_;
};

}  // namespace conformance
