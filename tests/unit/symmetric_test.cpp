// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// comm.allocate: memory that all ranks share.
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace {

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

/// Own data, zero at first, aligned to a page, usable as a range of any collective.
void use_memory(auto& world) {
  for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(1000), std::size_t(1) << 20}) {
    auto buffer = world.template allocate<double>(count);
    expect(buffer.size() == count, "size");
    expect(buffer.end() - buffer.begin() == std::ptrdiff_t(count), "begin and end");
    expect(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096 == 0, "alignment");
    for (const double value : buffer) expect(value == 0, "zero at first");
    for (std::size_t i = 0; i < count; ++i) buffer[i] = double(world.rank()) + double(i % 100);
    tutti::all_reduce(world, buffer, tutti::sum{});
    const int p = world.size();
    for (std::size_t i = 0; i < count; ++i)
      expect(buffer[i] == p * (p - 1) / 2 + p * double(i % 100), "sum in shared memory");
  }
}

/// Where one buffer ended others begin elsewhere; nothing of one shows in another, moved ones stay.
void use_several(auto& world) {
  auto one = world.template allocate<int>(5000);
  auto two = world.template allocate<int>(1);
  for (int& value : one) value = 1;
  two[0] = 2;
  auto moved = std::move(one);
  expect(moved.size() == 5000 && moved[4999] == 1, "moved");
  expect(one.size() == 0 && one.data() == nullptr, "moved from");  // NOLINT: that is what is tested
  auto three = world.template allocate<std::uint8_t>(300000);
  for (const auto value : three) expect(value == 0, "fresh memory is zero");
  expect(two[0] == 2, "neighbours are left alone");
  auto in = world.template allocate<float>(7);
  auto out = world.template allocate<float>(7);
  for (float& value : in) value = float(world.rank());
  tutti::all_reduce(world, in, out, tutti::max{}, tutti::tree{});
  expect(out[6] == float(world.size() - 1) && in[0] == float(world.rank()), "two buffers in one call");
}

void ask_too_much(auto& world) {
  for (const std::size_t count : {std::size_t(1) << 45, ~std::size_t(0)}) {
    std::string text;
    try {
      auto buffer = world.template allocate<double>(count);
    } catch (const tutti::error& refused) {
      text = refused.what();
    }
    expect(text.find("allocate on rank " + std::to_string(world.rank())) != std::string::npos,
           "too much is refused by all");
  }
  auto small = world.template allocate<double>(3);
  expect(small[2] == 0, "the world goes on");
}

template <class Launch>
void in_worlds(Launch&& launch) {
  for (const int size : {1, 2, 3}) {
    std::string failure;
    try {
      launch(size);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    CHECK(failure == "");
  }
}

}  // namespace

TEST_CASE("allocate on threads") {
  in_worlds([](int size) {
    tutti::threads::launch(size, [](tutti::threads::communicator& world) {
      use_memory(world);
      use_several(world);
      ask_too_much(world);
    });
  });
}

#if !defined(__SANITIZE_THREAD__)  // it can't follow a fork
TEST_CASE("allocate on shm") {
  in_worlds([](int size) {
    tutti::shm::launch(size, [](tutti::shm::communicator& world) {
      use_memory(world);
      use_several(world);
      ask_too_much(world);
    });
  });
}
#endif
