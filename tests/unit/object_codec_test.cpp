// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/object/codec.hpp>

#include <unit/object_types.hpp>

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace {

/// What comes back, once as a new object and once over another object.
template <class Type>
Type there_and_back(const Type& value, Type other = Type{}) {
  const tutti::packed bytes = tutti::pack(value);
  tutti::unpack_into(bytes, other);
  CHECK(other == value);
  return tutti::unpack<Type>(bytes);
}

template <class Type>
void comes_back(const Type& value, Type other = Type{}) {
  CHECK(there_and_back(value, std::move(other)) == value);
}

std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const tutti::error& error) {
    CHECK(error.code() == tutti::errc::bad_argument);
    return error.what();
  }
  return "none";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("values that are their bytes") {
  comes_back(42);
  comes_back(-1.5);
  comes_back(true);
  comes_back('x');
  comes_back(sent::colour::green);
  comes_back(sent::point{1, 2});
  comes_back(std::complex<float>(1, 2));
  comes_back(sent::empty{});
  CHECK(tutti::pack(sent::empty{}).size() == 0);
  CHECK(tutti::pack(sent::point{}).size() == sizeof(sent::point));
}

TEST_CASE("strings and sequences, empty ones too, over others that were longer") {
  comes_back(std::string(), std::string("longer"));
  comes_back(std::string("short"), std::string(100, 'x'));
  comes_back(std::string(10'000'000, 'L'));
  comes_back(std::u16string(u"wide"));
  comes_back(std::vector<int>{}, {1, 2});
  comes_back(std::vector<int>{1, 2, 3}, {9, 9, 9, 9});
  comes_back(std::vector<sent::point>{{1, 2}, {3, 4}});
  comes_back(std::vector<std::string>{"a", "", "ccc"}, {"x", "y", "z", "u"});
  comes_back(std::vector<std::vector<int>>{{1}, {}, {2, 3}});
  comes_back(std::vector<bool>{true, false, true, true}, {false});
  comes_back(std::deque<int>{1, 2, 3});
  comes_back(std::list<std::string>{"a", "b"}, {"c"});
  comes_back(std::vector<std::array<float, 2>>{{1, 2}, {3, 4}});
  CHECK(tutti::pack(std::vector<std::array<float, 2>>(10)).size() == 8 + 10 * 8);
}

TEST_CASE("elements without bytes are counted all the same") {
  comes_back(std::vector<sent::empty>(5));
  comes_back(std::list<sent::empty>(5));
  comes_back(std::vector<sent::nothing>(5));
  comes_back(std::vector<std::tuple<>>(3));
  comes_back(std::map<std::monostate, std::string>{{{}, "only"}});
}

TEST_CASE("arrays") {
  comes_back(std::array<int, 3>{1, 2, 3});
  comes_back(std::array<int, 0>{});
  comes_back(std::array<bool, 3>{true, false, true});
  comes_back(std::array<std::string, 2>{"a", "bb"});
  comes_back(std::array<std::array<std::string, 2>, 2>{{{"a", "b"}, {"c", "d"}}});
  CHECK(tutti::pack(std::array<int, 3>{}).size() == 12);

  const int grid[2][2] = {{1, 2}, {3, 4}};
  int back[2][2] = {};
  tutti::unpack_into(tutti::pack(grid), back);
  CHECK(back[1][0] == 3);
  const std::string words[2] = {"one", "two"};
  std::string words_back[2];
  tutti::unpack_into(tutti::pack(words), words_back);
  CHECK(words_back[1] == "two");
}

TEST_CASE("sets and maps of every kind") {
  comes_back(std::set<int>{3, 1, 2}, {7});
  comes_back(std::set<int, std::greater<>>{3, 1, 2});
  comes_back(std::multiset<int>{1, 1, 2});
  comes_back(std::unordered_set<std::string>{"a", "b"});
  comes_back(std::unordered_multiset<int>{1, 1, 2});
  comes_back(std::map<int, std::string>{}, {{1, "x"}});
  comes_back(std::map<int, std::string>{{2, "b"}, {1, "a"}}, {{1, "x"}, {9, "y"}});
  comes_back(std::multimap<int, std::string>{{1, "first"}, {1, "second"}, {2, ""}});
  comes_back(std::unordered_map<std::string, std::vector<int>>{{"a", {1}}, {"b", {}}});
  comes_back(std::unordered_multimap<int, int>{{1, 2}, {1, 2}, {2, 3}});
}

TEST_CASE("optionals, pairs, tuples and variants") {
  comes_back(std::optional<int>{}, {3});
  comes_back(std::optional<int>{4});
  std::optional<std::optional<std::string>> twice;
  comes_back(twice);
  twice.emplace();
  comes_back(twice);
  *twice = "text";
  comes_back(twice);
  comes_back(std::optional<bool>{false}, {true});
  comes_back(std::pair<int, std::string>{1, "a"});
  comes_back(std::tuple<>{});
  comes_back(std::tuple<int, std::string, std::pair<bool, float>>{1, "a", {true, 2.0f}});
  using either = std::variant<std::monostate, int, std::string, int>;
  comes_back(either{});
  comes_back(either{std::in_place_index<1>, 5}, either{"x"});
  comes_back(either{std::in_place_index<3>, 5});
  comes_back(either{"text"});
}

TEST_CASE("nested at will") {
  comes_back(sent::some_nested());
  comes_back(std::vector<sent::nested>{sent::some_nested(), {}, sent::some_nested()});
}

TEST_CASE("types that say how they travel") {
  const sent::run run{"r", {1, 2, 3}, {4, 5, 6}};
  comes_back(run);
  sent::named_run named;
  static_cast<sent::run&>(named) = run;
  named.author = "somebody";
  comes_back(named);
  comes_back(sent::tree{1, {{2, {}}, {3, {{4, {}}}}}}, sent::tree{5, {{6, {}}}});
  comes_back(std::map<int, sent::foreign>{{1, sent::foreign("abc")}});
  comes_back(std::optional<sent::run>{run});

  const auto back = tutti::unpack<sent::counted_value>(tutti::pack(sent::counted_value{3, 9}));
  CHECK(back.value == 3);
  CHECK(back.uses == 0);
  CHECK(tutti::pack(std::vector<sent::counted_value>(4)).size() == 8 + 4 * sizeof(int));
}

TEST_CASE("a type without default constructor travels as its bytes") {
  const std::vector<std::optional<sent::no_default>> values{sent::no_default(3), std::nullopt};
  comes_back(values);
  CHECK(tutti::unpack<sent::no_default>(tutti::pack(sent::no_default(5))) == sent::no_default(5));
}

TEST_CASE("members in the padding of a base class stay what they are") {
  sent::lodger value;
  static_cast<sent::roomy&>(value) = sent::roomy(7);
  value.name = "somebody with a long name, so that it is on the heap";
  comes_back(value);
  sent::lodger other;
  const auto bytes = tutti::pack(static_cast<const sent::roomy&>(value));
  other.guest = 'o';
  tutti::unpack_into(bytes, static_cast<sent::roomy&>(other));
  CHECK(other.guest == 'o');
  CHECK(static_cast<sent::roomy&>(other) == sent::roomy(7));
}

struct split_in_two {
  int value = 0;
};
void tutti_serialize(tutti::byte_writer& archive, const split_in_two& value) { archive(value.value + 1); }
void tutti_serialize(tutti::byte_reader& archive, split_in_two& value) { archive(value.value); }

struct const_serialize {
  std::unique_ptr<int> value = std::make_unique<int>(0);
  void serialize(tutti::byte_writer& archive) const { archive(*value); }
  void serialize(tutti::byte_reader& archive) { archive(*value); }
};

TEST_CASE("one function for each direction") {
  CHECK(tutti::unpack<split_in_two>(tutti::pack(split_in_two{5})).value == 6);
  const_serialize three;
  *three.value = 3;
  CHECK(*tutti::unpack<const_serialize>(tutti::pack(three)).value == 3);
}

TEST_CASE("several objects behind each other in one buffer") {
  tutti::packed bytes;
  tutti::byte_writer out(bytes);
  tutti::encode(out, std::string("first"));
  const std::size_t second = bytes.size();
  tutti::encode(out, 2);
  tutti::packed moved = std::move(bytes);
  tutti::byte_reader in(moved);
  CHECK(tutti::decode<std::string>(in) == "first");
  CHECK(in.position() == second);
  CHECK(tutti::decode<int>(in) == 2);
  CHECK(in.left() == 0);
}

struct grown_vector : std::vector<int> {
  std::string more;
};
struct same_vector : std::vector<int> {
  using std::vector<int>::vector;
};
struct grown_run : sent::run {
  int more = 0;
};
template <class Derived>
struct by_fields {
  template <class Archive>
  void serialize(Archive& archive) {
    static_cast<Derived&>(*this).fields(archive);
  }
};
struct with_fields : by_fields<with_fields> {
  std::string text;
  void fields(auto& archive) { archive(text); }
};
struct tree_with_functions : sent::tree {
  int twice() const { return 2 * value; }
};
struct grown_run_by_function : sent::run {
  int more = 0;
};
void tutti_serialize(auto& archive, grown_run_by_function& value) {
  archive(static_cast<sent::run&>(value), value.more);
}
enum class truth : bool { no, yes };

TEST_CASE("what is serialisable, and what isn't") {
  CHECK(tutti::serialisable<sent::nested>);
  CHECK(tutti::serialisable<const std::string>);
  CHECK(tutti::serialisable<same_vector>);
  CHECK(tutti::serialisable<truth>);
  CHECK(tutti::serialisable<with_fields>);
  CHECK(tutti::serialisable<tree_with_functions>);
  CHECK(tutti::serialisable<grown_run_by_function>);
  CHECK_FALSE(tutti::serialisable<int*>);
  CHECK_FALSE(tutti::serialisable<int sent::counted_value::*>);
  CHECK_FALSE(tutti::serialisable<std::nullptr_t>);
  CHECK_FALSE(tutti::serialisable<std::vector<int*>>);
  CHECK_FALSE(tutti::serialisable<std::array<int*, 2>>);
  CHECK_FALSE(tutti::serialisable<std::optional<const char*>>);
  CHECK_FALSE(tutti::serialisable<std::pair<int, char*>>);
  CHECK_FALSE(tutti::serialisable<std::variant<int, char*>>);
  CHECK_FALSE(tutti::serialisable<std::map<std::string_view, int>>);
  CHECK_FALSE(tutti::serialisable<std::string_view>);
  CHECK_FALSE(tutti::serialisable<std::span<int>>);
  CHECK_FALSE(tutti::serialisable<std::span<int, 3>>);
  CHECK_FALSE(tutti::serialisable<std::initializer_list<int>>);
  CHECK_FALSE(tutti::serialisable<std::reference_wrapper<int>>);
  CHECK_FALSE(tutti::serialisable<std::vector<int>::iterator>);
  CHECK_FALSE(tutti::serialisable<std::unique_ptr<int>>);
  CHECK_FALSE(tutti::serialisable<std::shared_ptr<int>>);
  CHECK_FALSE(tutti::serialisable<std::function<void()>>);
  CHECK_FALSE(tutti::serialisable<std::mutex>);
  CHECK_FALSE(tutti::serialisable<grown_vector>);
  CHECK_FALSE(tutti::serialisable<grown_run>);
}

TEST_CASE("malformed bytes are told with place, expectation and what is left") {
  CHECK(holds(complaint([] { tutti::unpack<std::pair<int, double>>(tutti::packed(7)); }),
              "unpack: at byte 4: expected 8 bytes, the value of a double, but 3 of 7 are left"));
  const auto length = tutti::pack(1ull << 60);
  CHECK(holds(complaint([&] { tutti::unpack<std::string>(length); }), "expected 1152921504606846976 elements"));
  CHECK(holds(complaint([&] { tutti::unpack<std::vector<double>>(length); }), "8 bytes each or more, but 0 of 8"));
  CHECK(holds(complaint([&] { tutti::unpack<std::list<std::string>>(length); }), "at byte 8"));
  CHECK(holds(complaint([&] { tutti::unpack<std::vector<sent::empty>>(length); }), "at byte 8"));
  CHECK(holds(complaint([&] { tutti::unpack<std::set<int>>(length); }), "at byte 8"));
  const auto most = tutti::pack(std::numeric_limits<unsigned long long>::max());
  CHECK(holds(complaint([&] { tutti::unpack<std::vector<double>>(most); }), "at byte 8"));
  CHECK(holds(complaint([] { tutti::unpack<bool>(tutti::pack('\2')); }),
              "at byte 0: expected the value of a bool, 0 to 1"));
  CHECK(holds(complaint([] { tutti::unpack<std::optional<int>>(tutti::pack('\2')); }), "the presence"));
  CHECK(holds(complaint([] { tutti::unpack<std::variant<int, bool>>(tutti::pack('\2')); }), "but it is 2"));
  CHECK(holds(complaint([] {
                tutti::unpack<std::set<int>>(tutti::pack(std::vector<int>{1, 1}));
              }),
              "at byte 16: expected another key"));
  CHECK(holds(complaint([] { tutti::unpack<char>(tutti::pack(std::array<char, 3>{})); }),
              "at byte 1: expected the end of a char, but 2 of 3 are left"));
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw 1; }
  throws_when_copied& operator=(const throws_when_copied&) = default;
  template <class Archive>
  void serialize(Archive&) {}
};

TEST_CASE("a valueless variant is refused where it is sent") {
  std::variant<int, throws_when_copied> value;
  const throws_when_copied source;
  CHECK_THROWS_AS(value.emplace<1>(source), int);
  REQUIRE(value.valueless_by_exception());
  CHECK(holds(complaint([&] { tutti::pack(value); }), "valueless"));
}

TEST_CASE("nesting has an end, on both sides") {
  const auto chain = [](int length) {
    sent::tree root;
    for (int i = 1; i < length; ++i) {
      sent::tree above;
      above.children.push_back(std::move(root));
      root = std::move(above);
    }
    return root;
  };
  const sent::tree deepest = chain(1000);
  auto bytes = tutti::pack(deepest);
  CHECK(tutti::pack(tutti::unpack<sent::tree>(bytes)).size() == bytes.size());
  CHECK(holds(complaint([&] { tutti::pack(chain(1001)); }), "more than 1000 deep, the innermost is a sent::tree"));

  tutti::packed endless;
  tutti::byte_writer out(endless);
  for (int i = 0; i < 100'000; ++i) out(0, 1ull);
  CHECK(holds(complaint([&] { tutti::unpack<sent::tree>(endless); }), "unpack: objects hold each other"));
}

}  // namespace
