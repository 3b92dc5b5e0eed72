// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels are compiled for several sets of instructions; all of them must give the same bits, or ranks on different
// machines, and short and long calls, would not agree. Compiled optimised: there are no variants otherwise.
#include <tutti/engine/fold.hpp>
#include <tutti/engine/kernel.hpp>
#include <tutti/op/half.hpp>
#include <tutti/statistics.hpp>
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using tutti::detail::isa;

std::vector<isa> variants() {
  std::vector<isa> all{isa::baseline};
#if TUTTI_KERNEL_VARIANTS >= 2
  if (tutti::detail::best_isa() != isa::baseline) all.push_back(isa::avx2);
#endif
#if TUTTI_KERNEL_VARIANTS >= 3
  if (tutti::detail::best_isa() == isa::avx512) all.push_back(isa::avx512);
#endif
  return all;
}

/// Numbers of all magnitudes, so that every rounding shows.
template <class Type>
std::vector<Type> numbers(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Type> made(count);
  for (Type& one : made) {
    if constexpr (std::is_integral_v<Type>)
      one = Type(random() & 0xffffff);  // sums of few don't overflow
    else
      one = Type(float((double(random()) / 4294967296.0 - 0.5) * double(1u << (random() % 20))));
  }
  return made;
}

template <class Type, class Op>
void expect_same_bits(const std::string& what, const Op& op) {
  CAPTURE(what);
  using reduction = tutti::reduction<Op, Type>;
  const reduction fold{op};
  for (const std::size_t count : {std::size_t(1), std::size_t(67), std::size_t(5000)})
    for (const int size : {2, 3, 4, 5}) {
      std::vector<std::vector<Type>> inputs;
      for (int rank = 0; rank < size; ++rank) inputs.push_back(numbers<Type>(count, std::uint32_t(rank + 1)));
      std::vector<std::vector<Type>> results;
      for (const isa one : variants()) {
        std::vector<Type> out(count);
        tutti::detail::fold_in_rank_order(
            one, fold, size, [&](int rank) { return inputs[std::size_t(rank)].data(); }, out.data(), count);
        results.push_back(out);
      }
      std::vector<Type> few(count);  // without vectors, as the shortest calls are folded
      tutti::detail::fold_few(
          fold, size, [&](int rank) { return inputs[std::size_t(rank)].data(); }, few.data(), count);
      results.push_back(few);
      for (const auto& other : results)
        CHECK(std::memcmp(static_cast<const void*>(other.data()), static_cast<const void*>(results[0].data()),
                          count * sizeof(Type)) == 0);
    }
}

}  // namespace

TEST_CASE("an optimised build has variants where the processor has instructions for them") {
#if defined(__x86_64__) && defined(__OPTIMIZE__)
  CHECK(TUTTI_KERNEL_VARIANTS >= 2);
  CHECK((variants().size() > 1) == bool(__builtin_cpu_supports("avx2")));
#else
  CHECK(TUTTI_KERNEL_VARIANTS == 1);
#endif
}

TEST_CASE("every built-in operator has the same bits in every variant") {
  expect_same_bits<float>("sum float", tutti::sum{});
  expect_same_bits<double>("sum double", tutti::sum{});
  expect_same_bits<tutti::float16>("sum half", tutti::sum{});
  expect_same_bits<tutti::bfloat16>("sum bf16", tutti::sum{});
  expect_same_bits<std::int32_t>("sum i32", tutti::sum{});
  expect_same_bits<std::uint8_t>("sum u8", tutti::sum{});
  expect_same_bits<float>("prod float", tutti::prod{});
  expect_same_bits<double>("prod double", tutti::prod{});
  expect_same_bits<float>("min float", tutti::min{});
  expect_same_bits<float>("max float", tutti::max{});
  expect_same_bits<std::int64_t>("max i64", tutti::max{});
  expect_same_bits<float>("avg float", tutti::avg{});
  expect_same_bits<std::int32_t>("avg i32", tutti::avg{});
  expect_same_bits<std::uint32_t>("band", tutti::band{});
  expect_same_bits<std::uint32_t>("bor", tutti::bor{});
  expect_same_bits<std::uint32_t>("bxor", tutti::bxor{});
  expect_same_bits<std::int32_t>("land", tutti::land{});
  expect_same_bits<std::int32_t>("lor", tutti::lor{});
  expect_same_bits<std::int32_t>("lxor", tutti::lxor{});
  expect_same_bits<float>("premul_sum", tutti::premul_sum<float>{1.37f});
}

TEST_CASE("no product and sum are joined into one rounding, whatever the instructions allow") {
  const float factor = 1.0009765625f;
  expect_same_bits<float>("x * s + y", tutti::commutative([factor](float x, float y) { return x * factor + y; }));
  expect_same_bits<double>("x * s + y", tutti::commutative([](double x, double y) { return x * 1.1 + y; }));
}
