// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary of operators: what counts as one, what commutes, and how both forms are bound.
#include <tutti/op/arithmetic.hpp>
#include <tutti/op/commutative.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/op/then.hpp>
#include <tutti/collective/all_reduce.hpp>
#include <tutti/transport/threads.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace {

struct no_sum {};
struct keeps_order {
  static constexpr bool commutative = false;
  int operator()(int a, int) const { return a; }
};
struct final_functor final {
  int operator()(int a, int b) const { return a + b; }
};
struct mean {
  static constexpr bool commutative = true;
  struct accumulator {
    double total;
    long long count;
  };
  accumulator lift(float value) const { return {double(value), 1}; }
  accumulator combine(const accumulator& a, const accumulator& b) const {
    return {a.total + b.total, a.count + b.count};
  }
  float lower(const accumulator& all, int) const { return float(all.total / double(all.count)); }
};
struct owns_memory {  // an accumulator that can't travel as bytes
  std::string lift(int) const { return {}; }
  std::string combine(const std::string& a, const std::string&) const { return a; }
  int lower(const std::string&, int) const { return 0; }
};
int plain_function(int a, int b) { return a * 10 + b; }

template <class Op>
constexpr bool commutes(const Op&) {
  return tutti::is_commutative<Op>;
}

}  // namespace

TEST_CASE("who says that it commutes") {
  CHECK(tutti::is_commutative<tutti::sum>);
  CHECK(tutti::is_commutative<tutti::prod>);
  CHECK(tutti::is_commutative<tutti::min>);
  CHECK(tutti::is_commutative<tutti::max>);
  CHECK(tutti::is_commutative<tutti::avg>);
  CHECK(tutti::is_commutative<mean>);
  CHECK(tutti::is_commutative<std::plus<>>);
  CHECK(tutti::is_commutative<std::plus<float>>);
  CHECK(tutti::is_commutative<std::multiplies<>>);
  CHECK(tutti::is_commutative<std::bit_and<>>);
  CHECK(tutti::is_commutative<std::bit_or<>>);
  CHECK(tutti::is_commutative<std::bit_xor<std::uint64_t>>);
  CHECK(tutti::is_commutative<std::logical_and<>>);
  CHECK(tutti::is_commutative<std::logical_or<>>);
}

TEST_CASE("who doesn't") {
  CHECK(!tutti::is_commutative<std::minus<>>);
  CHECK(!tutti::is_commutative<std::divides<int>>);
  CHECK(!tutti::is_commutative<std::modulus<>>);
  CHECK(!tutti::is_commutative<keeps_order>);
  CHECK(!tutti::is_commutative<final_functor>);
  CHECK(!tutti::is_commutative<int (*)(int, int)>);
  CHECK(!tutti::is_commutative<std::function<int(int, int)>>);
  CHECK(!commutes([](int a, int b) { return a + b; }));
  // An operator of std::plus inside doesn't make the whole one commute.
  CHECK(!commutes([f = std::plus<>{}](int a, int b) { return f(a, 2 * b); }));
}

TEST_CASE("commutative() promises it and keeps the call and its state") {
  const auto scaled = tutti::commutative([factor = 3](int a, int b) { return factor * (a + b); });
  CHECK(commutes(scaled));
  CHECK(scaled(1, 2) == 9);
  const auto function = tutti::commutative(plain_function);
  CHECK(commutes(function));
  CHECK(function(1, 2) == 12);
  const auto final_one = tutti::commutative(final_functor{});
  CHECK(commutes(final_one));
  CHECK(final_one(1, 2) == 3);
  const auto with_identity = tutti::commutative([](int a, int b) { return a > b ? a : b; }, -1);
  CHECK(commutes(with_identity));
  CHECK(with_identity.identity == -1);
  const auto overridden = tutti::commutative(keeps_order{});
  CHECK(commutes(overridden));
  const auto accumulating = tutti::commutative(mean{});
  CHECK(tutti::accumulating_op<decltype(accumulating), float>);
}

TEST_CASE("what a reduction accepts") {
  CHECK(tutti::reduction_op<tutti::sum, int>);
  CHECK(!tutti::reduction_op<tutti::sum, no_sum>);
  CHECK(!tutti::reduction_op<tutti::avg, no_sum>);
  CHECK(tutti::callable_op<std::plus<>, double>);
  CHECK(tutti::accumulating_op<mean, float>);
  CHECK(!tutti::accumulating_op<tutti::sum, float>);
  CHECK(!tutti::reduction_op<owns_memory, int>);
  CHECK(tutti::reduction_op<int (*)(int, int), int>);
}

TEST_CASE("both forms have one interface") {
  const tutti::reduction<std::plus<>, int> plain{std::plus<>{}};
  static_assert(!decltype(plain)::accumulates);
  CHECK(plain.lower(plain.combine(plain.lift(3), plain.lift(4)), 2) == 7);

  const tutti::reduction<mean, float> averaging{mean{}};
  static_assert(decltype(averaging)::accumulates && sizeof(decltype(averaging)::accumulator) == 16);
  CHECK(averaging.lower(averaging.combine(averaging.lift(1), averaging.lift(2)), 2) == 1.5f);

  // Bytes are added as bytes, not as the int that C++ makes of them.
  const tutti::reduction<tutti::sum, std::int8_t> bytes{tutti::sum{}};
  CHECK(bytes.combine(std::int8_t(100), std::int8_t(100)) == std::int8_t(-56));
}

TEST_CASE("avg sums wide and truncates towards zero") {
  const tutti::reduction<tutti::avg, std::int8_t> signed_bytes{tutti::avg{}};
  auto total = signed_bytes.lift(127);
  for (int i = 1; i < 5; ++i) total = signed_bytes.combine(total, signed_bytes.lift(127));
  CHECK(signed_bytes.lower(total, 5) == 127);
  CHECK(signed_bytes.lower(signed_bytes.combine(signed_bytes.lift(-3), signed_bytes.lift(0)), 2) == -1);
  const tutti::reduction<tutti::avg, std::uint64_t> large{tutti::avg{}};
  CHECK(large.lower(large.lift(std::uint64_t(1) << 63), 2) == std::uint64_t(1) << 62);
  const tutti::reduction<tutti::avg, float> floats{tutti::avg{}};
  CHECK(floats.lower(floats.combine(1, 2), 2) == 1.5f);
}

TEST_CASE("min and max: NaN wins on either side, of equal values the left one stays") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(tutti::min{}(nan, 1.f)));
  CHECK(std::isnan(tutti::min{}(1.f, nan)));
  CHECK(std::isnan(tutti::max{}(nan, 1.f)));
  CHECK(std::isnan(tutti::max{}(1.f, nan)));
  CHECK(std::signbit(tutti::min{}(-0.f, 0.f)));
  CHECK(!std::signbit(tutti::min{}(0.f, -0.f)));
  CHECK(std::signbit(tutti::max{}(-0.f, 0.f)));
  CHECK(tutti::min{}(3, 2) == 2);
  CHECK(tutti::max{}(3, 2) == 3);
}

TEST_CASE("then: an epilogue on the whole fold, once, whatever the operator accumulates in") {
  const auto half = [](int total) { return total / 2; };
  const tutti::reduction<decltype(tutti::then(tutti::sum{}, half)), int> sum{tutti::then(tutti::sum{}, half)};
  CHECK(sum.lower(sum.combine(sum.lift(3), sum.combine(sum.lift(4), sum.lift(2))), 3) == 4);
  CHECK(tutti::is_commutative<decltype(tutti::then(tutti::sum{}, half))>);
  CHECK(!tutti::is_commutative<decltype(tutti::then(keeps_order{}, half))>);

  tutti::threads::launch(3, [](auto& world) {
    const auto offset = float(world.size());
    const float in[] = {float(world.rank() + 1), 0, -6};
    float out[3];
    tutti::all_reduce(world, in, out, tutti::then(mean{}, [offset](float all) { return all + offset; }));
    CHECK(out[0] == 5);
    CHECK(out[1] == 3);
    CHECK(out[2] == -3);
  });
}
