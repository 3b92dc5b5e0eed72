// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names and hashes by which ranks see that they call the same.
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <set>
#include <string>

namespace here {
struct element {
  int value;
};
template <class Type>
struct a_type_with_a_name_that_is_longer_than_any_descriptor_has_room_for {};
}  // namespace here

namespace {

namespace on = tutti::collective;
using tutti::detail::describe;
using tutti::detail::descriptor;
using tutti::detail::op_name;
using tutti::detail::signature_of;
using tutti::detail::type_name;

std::string str(tutti::detail::text name) { return {name.begin, name.size}; }

}  // namespace

TEST_CASE("types have the compiler's names") {
  CHECK(str(type_name<float>()) == "float");
  CHECK(str(type_name<int>()) == "int");
  CHECK(str(type_name<here::element>()) == "here::element");
  CHECK(str(type_name<std::plus<float>>()) == "std::plus<float>");
}

TEST_CASE("operators have their own names; all lambdas are user ops") {
  const auto lambda = [](int a, int b) { return a + b; };
  const auto other = [](float a, float b) { return a * b; };
  CHECK(str(op_name<tutti::sum>()) == "sum");
  CHECK(str(op_name<decltype(lambda)>()) == "user op");
  CHECK(str(op_name<decltype(other)>()) == "user op");
  CHECK(str(op_name<decltype(tutti::commutative(lambda))>()) == "user op");
  CHECK(str(op_name<std::bit_xor<int>>()) == "std::bit_xor<int>");
}

TEST_CASE("whatever differs gives another hash") {
  const auto base = signature_of<on::all_reduce, float, tutti::sum, tutti::ring>();
  std::set<std::uint64_t> seen;
  const auto add = [&seen](const descriptor& call) { CHECK(seen.insert(call.hash).second); };
  add(describe(base, 10, 4, 5, 0));
  add(describe(base, 11, 4, 5, 0));
  add(describe(base, 10, 4, 6, 0));
  add(describe(base, 10, 4, 5, 1));
  add(describe(signature_of<on::reduce, float, tutti::sum, tutti::ring>(), 10, 4, 5, 0));
  add(describe(signature_of<on::all_reduce, int, tutti::sum, tutti::ring>(), 10, 4, 5, 0));
  add(describe(signature_of<on::all_reduce, float, tutti::max, tutti::ring>(), 10, 4, 5, 0));
  add(describe(signature_of<on::all_reduce, float, tutti::sum, tutti::tree>(), 10, 4, 5, 0));
  CHECK(!seen.insert(describe(base, 10, 4, 5, 0).hash).second);  // the same call, the same hash
  CHECK(seen.count(0) == 0);
}

TEST_CASE("a descriptor says what was called; long names keep their end") {
  static constexpr auto call = signature_of<on::reduce_scatter, here::element, std::plus<float>, tutti::direct>();
  const descriptor said = describe(call, 7, 4, 3, 2);
  CHECK(std::string(said.collective) == "reduce_scatter");
  CHECK(std::string(said.type) == "here::element");
  CHECK(std::string(said.op) == "std::plus<float>");
  CHECK(std::string(said.algorithm) == "direct");
  CHECK(said.count == 7);
  CHECK(said.element_bytes == 4);
  CHECK(said.chunk == 3);
  CHECK(said.root == 2);

  using long_one = here::a_type_with_a_name_that_is_longer_than_any_descriptor_has_room_for<float>;
  const descriptor cut = describe(signature_of<on::broadcast, long_one, tutti::sum, tutti::tree>(), 0, 1, 1, 0);
  CHECK(std::strlen(cut.type) == sizeof cut.type - 1);
  CHECK(std::string(cut.type).ends_with("room_for<float>"));
}

TEST_CASE("an error holds its text, whatever its length") {
  const std::string text(2000, 'x');
  const tutti::error failure(tutti::errc::timeout, 3, text.c_str());
  const tutti::error copy = failure;
  CHECK(copy.code() == tutti::errc::timeout);
  CHECK(copy.rank() == 3);
  CHECK(std::strlen(copy.what()) > 500);
}
