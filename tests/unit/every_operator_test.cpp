// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operator of the house through all_reduce, against a value that the test computes in its own way; by loads and
// stores, by messages in rank order, and round a ring.
#include <tutti/statistics.hpp>
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// all_reduce on 1 to 5 ranks by three algorithms; input(rank) gives a rank's element, expected(size) the answer.
template <class Element, class Op, class Input, class Expected, class Same>
void expect_result(const char* what, Op op, Input input, Expected expected, Same same) {
  for (int size = 1; size <= 5; ++size) {
    tutti::threads::launch(size, [&](auto& comm) {
      const auto with = [&](auto algorithm) {
        std::array<Element, 3> values{input(comm.rank()), input(comm.rank()), input(comm.rank())};
        tutti::all_reduce(comm, values, op, algorithm);
        for (const Element& value : values)
          if (!same(value, expected(size)))
            throw std::runtime_error(std::string(what) + " is wrong by " + algorithm.name + " on " +
                                     std::to_string(size) + " ranks");
      };
      with(tutti::tree{});
#if !defined(TUTTI_REDUCED)
      with(tutti::one_phase{});
      with(tutti::ring{});
#endif
    });
  }
}
template <class Element, class Op, class Input, class Expected>
void expect_equal(const char* what, Op op, Input input, Expected expected) {
  expect_result<Element>(what, op, input, expected, [](const Element& a, const Element& b) { return a == b; });
}

}  // namespace

TEST_CASE("bits") {
  const auto one_bit = [](int rank) { return std::uint8_t(1 << rank); };
  expect_equal<std::uint8_t>("bxor", tutti::bxor{}, one_bit, [](int p) { return std::uint8_t((1 << p) - 1); });
  expect_equal<std::uint8_t>("bor", tutti::bor{}, one_bit, [](int p) { return std::uint8_t((1 << p) - 1); });
  expect_equal<long long>(
      "band", tutti::band{}, [](int rank) { return ~(1LL << (40 + rank)); },
      [](int p) { return ~(((1LL << p) - 1) << 40); });
  expect_equal<bool>(
      "bor of bool", tutti::bor{}, [](int rank) { return rank == 1; }, [](int p) { return p > 1; });
}

TEST_CASE("truth: also one rank gives 0 or 1") {
  expect_equal<int>(
      "land", tutti::land{}, [](int rank) { return 7 + rank; }, [](int) { return 1; });
  expect_equal<int>(
      "land with a zero", tutti::land{}, [](int rank) { return rank == 2 ? 0 : 9; },
      [](int p) { return p > 2 ? 0 : 1; });
  expect_equal<float>(
      "lor", tutti::lor{}, [](int rank) { return rank == 3 ? 0.5f : 0.0f; }, [](int p) { return p > 3 ? 1.0f : 0.0f; });
  expect_equal<int>(
      "lxor", tutti::lxor{}, [](int rank) { return rank + 1; }, [](int p) { return p % 2; });
}

TEST_CASE("locations: equal values give the smallest index, NaN wins") {
  using found = tutti::located<float>;
  expect_equal<found>(
      "max_loc", tutti::max_loc{},
      [](int rank) {
        return found{float(rank % 3), 10 - rank};
      },
      [](int p) {
        return p == 1 ? found{0, 10} : p == 2 ? found{1, 9} : found{2, 8};
      });
  expect_equal<found>(
      "min_loc", tutti::min_loc{},
      [](int) {
        return found{4, 3};
      },
      [](int) {
        return found{4, 3};
      });
  expect_equal<found>(
      "min_loc of equal values", tutti::min_loc{},
      [](int rank) {
        return found{1, 100 - rank};
      },
      [](int p) {
        return found{1, 101 - p};
      });
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_result<found>(
      "max_loc with NaN", tutti::max_loc{},
      [nan](int rank) {
        return found{rank == 1 ? nan : 5.0f, rank};
      },
      [](int p) { return p; },
      [](const found& value, int p) {
        return p == 1 ? value.index == 0 : std::isnan(value.value) && value.index == 1;
      });
}

TEST_CASE("premul_sum") {
  expect_equal<double>(
      "premul_sum", tutti::premul_sum{0.5}, [](int rank) { return double(rank + 1); },
      [](int p) { return 0.25 * p * (p + 1); });
  expect_equal<int>(
      "premul_sum of int", tutti::premul_sum{3}, [](int rank) { return rank; },
      [](int p) { return 3 * p * (p - 1) / 2; });
}

TEST_CASE_TEMPLATE("half precision folds in float and rounds once", Half, tutti::float16, tutti::bfloat16) {
  const auto same = [](const Half& a, const Half& b) { return a.bits == b.bits; };
  // Below half an ulp of 1 each: lost one by one, seen together.
  const float tiny = std::is_same_v<Half, tutti::float16> ? 0x1p-12f : 0x1p-9f;
  expect_result<Half>(
      "sum", tutti::sum{}, [tiny](int rank) { return Half(rank == 0 ? 1.0f : tiny); },
      [tiny](int p) { return Half(1.0f + tiny * float(p - 1)); }, same);
  expect_result<Half>(
      "prod", tutti::prod{}, [](int rank) { return Half(float(rank + 1)); },
      [](int p) {
        return Half(p == 1 ? 1.0f : p == 2 ? 2.0f : p == 3 ? 6.0f : p == 4 ? 24.0f : 120.0f);
      },
      same);
  expect_result<Half>(
      "max", tutti::max{}, [](int rank) { return Half(float(rank)); }, [](int p) { return Half(float(p - 1)); }, same);
  expect_result<Half>(
      "min", tutti::min{}, [](int rank) { return Half(-float(rank)); }, [](int p) { return Half(-float(p - 1)); },
      same);
  expect_result<Half>(
      "avg", tutti::avg{}, [](int rank) { return Half(float(rank)); }, [](int p) { return Half(float(p - 1) / 2); },
      same);
}

TEST_CASE("statistics") {
  expect_result<tutti::moments>(
      "welford", tutti::welford{},
      [](int rank) {
        tutti::moments set;
        for (int i = 0; i < 4; ++i) set.add(1e9 + rank * 4 + i);
        return set;
      },
      [](int p) {
        const double n = 4.0 * p;
        return tutti::moments{n, 1e9 + (n - 1) / 2, n * (n * n - 1) / 12};
      },
      [](const tutti::moments& a, const tutti::moments& b) {
        return a.count == b.count && std::fabs(a.mean - b.mean) < 1e-5 && std::fabs(a.deviations - b.deviations) < 1e-3;
      });
  expect_result<double>(
      "log_sum_exp", tutti::log_sum_exp{}, [](int rank) { return 1000.0 + rank; },
      [](int p) {
        double sum = 0;
        for (int rank = 0; rank < p; ++rank) sum += std::exp(double(rank));
        return 1000.0 + std::log(sum);
      },
      [](double a, double b) { return std::fabs(a - b) < 1e-9; });
  const double infinity = std::numeric_limits<double>::infinity();
  expect_equal<double>(
      "log_sum_exp of nothing but zeros", tutti::log_sum_exp{}, [infinity](int) { return -infinity; },
      [infinity](int) { return -infinity; });
  using three = tutti::largest<int, 3>;
  expect_result<three>(
      "top_k", tutti::top_k{},
      [](int rank) {
        three mine;
        for (int i = 0; i < 4; ++i) mine.add((rank * 7 + i * 5) % 11);
        return mine;
      },
      [](int p) {
        three all;
        for (int rank = 0; rank < p; ++rank)
          for (int i = 0; i < 4; ++i) all.add((rank * 7 + i * 5) % 11);
        return all;
      },
      [](const three& a, const three& b) {
        return a.size == b.size && a.values[0] == b.values[0] && a.values[1] == b.values[1] &&
               a.values[2] == b.values[2];
      });
}
