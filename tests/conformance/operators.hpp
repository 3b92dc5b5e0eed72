// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The operators: each with the values it can take and with what it must give for a column, one value a rank.
// What it must give is said without the operator under test wherever the operator is one of tutti's own.

#include "elements.hpp"

#include <tutti/op/arithmetic.hpp>
#include <tutti/op/commutative.hpp>

#include <algorithm>
#include <functional>
#include <span>

namespace conformance {

template <class Type, class Fold>
Type left_fold(std::span<const Type> column, Fold&& fold) {
  Type total = column[0];
  for (std::size_t rank = 1; rank < column.size(); ++rank) total = static_cast<Type>(fold(total, column[rank]));
  return total;
}

struct sum_case {
  static constexpr const char* name = "sum";
  static constexpr domain values = domain::sums;
  static auto op() { return tutti::sum{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    return left_fold(column, [](const Type& a, const Type& b) { return a + b; });
  }
};

struct prod_case {
  static constexpr const char* name = "prod";
  static constexpr domain values = domain::products;
  static auto op() { return tutti::prod{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    return left_fold(column, [](const Type& a, const Type& b) { return a * b; });
  }
};

struct min_case {
  static constexpr const char* name = "min";
  static constexpr domain values = domain::sums;
  static auto op() { return tutti::min{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    return *std::min_element(column.begin(), column.end());
  }
};

struct max_case {
  static constexpr const char* name = "max";
  static constexpr domain values = domain::sums;
  static auto op() { return tutti::max{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    return *std::max_element(column.begin(), column.end());
  }
};

struct avg_case {
  static constexpr const char* name = "avg";
  static constexpr domain values = domain::sums;
  static auto op() { return tutti::avg{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    using wide = std::conditional_t<std::is_floating_point_v<Type>, Type,
                                    std::conditional_t<std::is_signed_v<Type>, long long, unsigned long long>>;
    wide total = 0;
    for (const Type& value : column) total += static_cast<wide>(value);
    return static_cast<Type>(total / static_cast<wide>(column.size()));
  }
};

/// float -> {double, count} -> float: the accumulator is another type, and larger.
struct mean {
  static constexpr bool commutative = true;
  static constexpr const char* name = "mean";
  struct accumulator {
    double total;
    long long count;
  };
  accumulator lift(float value) const { return {double(value), 1}; }
  accumulator combine(const accumulator& a, const accumulator& b) const {
    return {a.total + b.total, a.count + b.count};
  }
  float lower(const accumulator& all, int size) const {
    return all.count == size ? float(all.total / double(all.count)) : -1e30f;  // each rank must count once
  }
};
struct mean_case {
  static constexpr const char* name = "mean";
  static constexpr domain values = domain::sums;
  static auto op() { return mean{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    double total = 0;
    for (const Type value : column) total += value;
    return Type(total / double(column.size()));
  }
};

/// A polynomial hash of the ranks' values: an accumulator of another type whose order matters.
struct digest {
  struct accumulator {
    std::uint64_t factor, value;
  };
  std::uint64_t base;  // state
  accumulator lift(std::uint32_t value) const { return {base, value}; }
  accumulator combine(const accumulator& a, const accumulator& b) const {
    return {a.factor * b.factor, a.value * b.factor + b.value};
  }
  std::uint32_t lower(const accumulator& all, int size) const {
    return std::uint32_t(all.value >> 16) + std::uint32_t(size);
  }
};
struct digest_case {
  static constexpr const char* name = "digest, in rank order";
  static constexpr domain values = domain::sums;
  static auto op() { return digest{6364136223846793005u}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    std::uint64_t hash = 0;
    for (const Type value : column) hash = hash * 6364136223846793005u + value;
    return Type(hash >> 16) + Type(column.size());
  }
};

struct times {
  matrix operator()(const matrix& a, const matrix& b) const {
    const auto cell = [&](int row, int column) {
      return static_cast<std::uint16_t>(std::uint32_t(a.at[2 * row]) * b.at[column] +
                                        std::uint32_t(a.at[2 * row + 1]) * b.at[2 + column]);
    };
    return {{cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)}};
  }
};
struct matrix_case {
  static constexpr const char* name = "matrix product, in rank order";
  static constexpr domain values = domain::sums;
  static auto op() { return times{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    return left_fold(column, times{});
  }
};

/// A lambda whose state must arrive at every call: without the modulus the result is another one.
struct affine_case {
  static constexpr const char* name = "composition, in rank order";
  static constexpr domain values = domain::sums;
  static auto op() {
    return [modulus = std::uint32_t(65521)](const affine& f, const affine& g) {
      return affine{f.a * g.a % modulus, (f.a * g.b + f.b) % modulus};
    };
  }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    std::uint64_t x = 1, y = 0;  // f0(f1(...(1))) and of 0, from the inside out
    for (std::size_t rank = column.size(); rank-- > 0;) {
      x = (x * column[rank].a + column[rank].b) % 65521;
      y = (y * column[rank].a + column[rank].b) % 65521;
    }
    return Type{std::uint32_t((x + 65521 - y) % 65521), std::uint32_t(y)};
  }
};

struct plus_case {
  static constexpr const char* name = "std::plus<>";
  static constexpr domain values = domain::sums;
  static auto op() { return std::plus<>{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    return sum_case::expect(column);
  }
};

struct xor_case {
  static constexpr const char* name = "std::bit_xor<>";
  static constexpr domain values = domain::sums;
  static auto op() { return std::bit_xor<>{}; }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    return left_fold(column, [](Type a, Type b) { return a ^ b; });
  }
};

/// A lambda that is promised to commute: algorithms out of rank order take it too.
struct commuting_lambda_case {
  static constexpr const char* name = "commutative(lambda)";
  static constexpr domain values = domain::sums;
  static auto op() {
    return tutti::commutative([](const std::array<int, 3>& a, const std::array<int, 3>& b) {
      return std::array<int, 3>{a[0] + b[0], a[1] ^ b[1], std::max(a[2], b[2])};
    });
  }
  template <class Type>
  static Type expect(std::span<const Type> column) {
    Type all = column[0];
    for (const Type& value : column.subspan(1))
      all = {all[0] + value[0], all[1] ^ value[1], std::max(all[2], value[2])};
    return all;
  }
};

}  // namespace conformance
