// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/core/chunking.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

namespace {

struct of_my_own {
  using tutti_chunking = of_my_own;
  static constexpr std::size_t elements(std::size_t, std::size_t) { return 5; }
};

template <class Policy>
void expect_sane() {
  for (const std::size_t bytes : std::initializer_list<std::size_t>{1, 2, 4, 12, 40, 3000})
    for (std::size_t block = 0; block <= 3000; block += block < 20 ? 1 : 131) {
      CAPTURE(bytes);
      CAPTURE(block);
      CHECK(Policy::elements(block, bytes) >= 1);  // also of nothing: nobody divides by zero
    }
}

}  // namespace

static_assert(tutti::chunking_policy<tutti::whole> && tutti::chunking_policy<tutti::chunked<1>> &&
              tutti::chunking_policy<of_my_own>);
static_assert(!tutti::chunking_policy<int>);
static_assert(tutti::KiB == 1024 && tutti::MiB == 1024 * 1024 && tutti::GiB == 1024 * 1024 * 1024);

TEST_CASE("a chunk has at least one element") {
  expect_sane<tutti::whole>();
  expect_sane<tutti::chunked<256>>();
  expect_sane<tutti::chunked<1>>();
  expect_sane<tutti::uniform<1024>>();
  expect_sane<tutti::pipelined<3>>();
}

TEST_CASE("whole") { CHECK(tutti::whole::elements(1009, 4) == 1009); }

TEST_CASE("chunked: as many elements as fit into the bytes, one where not even that fits") {
  CHECK(tutti::chunked<256>::elements(1009, 4) == 64);
  CHECK(tutti::chunked<256>::elements(1009, 12) == 21);
  CHECK(tutti::chunked<256>::elements(1009, 3000) == 1);
}

TEST_CASE("uniform: no more chunks than chunked has, and no stump") {
  using tutti::chunked;
  using tutti::uniform;
  for (std::size_t block = 1; block <= 2000; ++block) {
    const std::size_t chunk = uniform<1024>::elements(block, 4);
    const std::size_t pieces = (block + chunk - 1) / chunk;
    CAPTURE(block);
    CHECK(chunk <= 256);
    CHECK(pieces == (block + 255) / 256);
    CHECK(chunk - (block - (pieces - 1) * chunk) <= pieces);  // the last is hardly shorter
  }
}

TEST_CASE("pipelined: that many chunks, whatever the length") {
  CHECK(tutti::pipelined<3>::elements(9, 4) == 3);
  CHECK(tutti::pipelined<3>::elements(10, 4) == 4);
  CHECK(tutti::pipelined<3>::elements(2, 4) == 1);
}
