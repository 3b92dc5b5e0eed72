// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

/// Types of a program that uses tutti, for the tests of its objects.
namespace sent {

enum class colour : std::uint8_t { red, green };

struct point {
  double x = 0, y = 0;
  bool operator==(const point&) const = default;
};

/// serialize() as most programs write it: a template, not const.
struct run {
  std::string name;
  std::vector<float> losses;
  float rates[3] = {};
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, losses, rates);
  }
  bool operator==(const run&) const = default;
};

/// A base class with members that aren't trivial, and more in the derived one.
struct named_run : run {
  std::optional<std::string> author;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(static_cast<run&>(*this), author);
  }
  bool operator==(const named_run&) const = default;
};

/// Holds itself, so it could be as deep as it likes.
struct tree {
  int value = 0;
  std::vector<tree> children;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, children);
  }
  bool operator==(const tree&) const = default;
};

/// Belongs to somebody else: private members, functions of its own.
class foreign {
 public:
  foreign() = default;
  explicit foreign(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  bool operator==(const foreign&) const = default;

 private:
  std::string text_;
};

inline void tutti_serialize(auto& archive, foreign& value) {
  std::string text = value.text();
  archive(text);
  if constexpr (std::remove_reference_t<decltype(archive)>::reading) value = foreign(text);
}

/// Trivially copyable, but what it says counts: only the value travels.
struct counted_value {
  int value = 0;
  int uses = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

/// Nothing to send, but as many as one likes.
struct nothing {
  std::string left_out;
  template <class Archive>
  void serialize(Archive& archive) {
    archive();
  }
  bool operator==(const nothing&) const = default;
};

struct empty {
  bool operator==(const empty&) const = default;
};

struct no_default {
  int value;
  explicit no_default(int number) : value(number) {}
  bool operator==(const no_default&) const = default;
};

/// Trivially copyable, and its last bytes are padding that a derived class uses.
class roomy {
 public:
  roomy() = default;
  explicit roomy(long number) : number_(number) {}
  bool operator==(const roomy&) const = default;

 private:
  long number_ = 0;
  char letter_ = 'a';
};

struct lodger : roomy {
  char guest = 'g';
  std::string name;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(guest, name, static_cast<roomy&>(*this));
  }
  bool operator==(const lodger&) const = default;
};
static_assert(sizeof(lodger) == sizeof(roomy) + sizeof(std::string), "the guest lives in roomy's padding");

using nested = std::map<std::string, std::vector<std::optional<std::tuple<int, std::string, std::variant<int, run>>>>>;

inline nested some_nested() {
  return {{"", {}},
          {"one", {std::nullopt, std::tuple{1, std::string("x"), std::variant<int, run>(7)}}},
          {"two", {std::tuple{2, std::string(100, 'y'), std::variant<int, run>(run{"r", {1, 2}, {1, 2, 3}})}}}};
}

}  // namespace sent
