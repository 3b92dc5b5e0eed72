// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that no rank has packed: an object or a tutti::error comes of them, and (under the sanitizers) nothing else.
#include <tutti/object/codec.hpp>

#include <unit/object_types.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <list>
#include <random>
#include <set>
#include <unordered_map>

namespace {

using bytes = std::vector<std::byte>;

struct everything {
  std::string text = "some text";
  std::vector<double> numbers{1, 2, 3};
  std::vector<bool> bits{true, false, true};
  std::list<std::optional<std::string>> list{"a", std::nullopt, "b"};
  std::unordered_map<std::string, std::set<int>> sets{{"x", {1, 2}}, {"y", {}}};
  std::array<std::pair<bool, std::string>, 2> pairs{{{true, "p"}, {false, "q"}}};
  std::vector<std::tuple<>> empties{3};
  sent::nested nested = sent::some_nested();
  sent::tree tree{1, {{2, {}}, {3, {{4, {}}}}}};
  std::vector<sent::foreign> foreign{sent::foreign("abc"), sent::foreign()};
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text, numbers, bits, list, sets, pairs, empties, nested, tree, foreign);
  }
};

template <class Type>
bytes packed_bytes(const Type& value) {
  const tutti::packed packed = tutti::pack(value);
  return {packed.data(), packed.data() + packed.size()};
}

/// True where they are an object, which must then survive the way there and back. (Its bytes may differ: hash tables
/// have their own order.)
template <class Type>
bool decodes(const bytes& from) {
  try {
    const Type value = tutti::unpack<Type>(from);
    CHECK(tutti::pack(tutti::unpack<Type>(tutti::pack(value))).size() == from.size());
    return true;
  } catch (const tutti::error& error) {
    CHECK(error.code() == tutti::errc::bad_argument);
    return false;
  }
}

template <class Type>
void truncate_everywhere(const Type& value) {
  const bytes whole = packed_bytes(value);
  CHECK(decodes<Type>(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(decodes<Type>(bytes(whole.begin(), whole.begin() + std::ptrdiff_t(size))));
}

TEST_CASE("truncated at every byte") {
  truncate_everywhere(everything{});
  truncate_everywhere(sent::some_nested());
  truncate_everywhere(std::vector<std::string>{"a", "bb", ""});
}

TEST_CASE("every byte replaced by every value") {
  const bytes whole = packed_bytes(sent::tree{1, {{2, {}}, {3, {{4, {}}}}}});
  int objects = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      bytes changed = whole;
      changed[at] = std::byte(value);
      objects += decodes<sent::tree>(changed) ? 1 : 0;
    }
  }
  CHECK(objects >= 4 * 4 * 256);  // four values of four bytes: any will do
  CHECK(objects < int(whole.size()) * 256);
}

TEST_CASE("random flips") {
  const bytes whole = packed_bytes(everything{});
  std::mt19937 random(1);
  int objects = 0, errors = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    bytes changed = whole;
    for (std::size_t flips = 1 + random() % 4; flips != 0; --flips)
      changed[random() % changed.size()] ^= std::byte(1u << random() % 8);
    ++(decodes<everything>(changed) ? objects : errors);
  }
  CHECK(objects > 0);
  CHECK(errors > 0);
}

template <class Type>
void read_noise(unsigned seed) {
  std::mt19937 random(seed);
  for (int trial = 0; trial < 1000; ++trial) {
    bytes noise(random() % 200);
    // Mostly small values: lengths and cases that make sense lead further in.
    for (auto& byte : noise)
      byte = std::byte(random() % 4 == 0 ? random() % 256 : random() % 8 == 0 ? random() % 4 : 0);
    decodes<Type>(noise);
  }
}

TEST_CASE("noise") {
  read_noise<everything>(1);
  read_noise<sent::nested>(2);
  read_noise<sent::tree>(3);
  read_noise<std::vector<std::variant<bool, std::string, sent::run>>>(4);
  read_noise<std::set<std::pair<bool, std::optional<char>>>>(5);
  read_noise<std::vector<sent::named_run>>(6);
  read_noise<std::vector<sent::nothing>>(7);
}

}  // namespace
