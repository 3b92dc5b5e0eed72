// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The operators: each with the values that ranks give, and with what must come of those of ranks 0 to ranks - 1, said
// without the operator under test.

#include "elements.hpp"

#include <tutti/op/arithmetic.hpp>
#include <tutti/op/location.hpp>

#include <cstddef>
#include <cstdint>

namespace conformance {

template <class Type>
struct sum_case {
  using type = Type;
  static constexpr const char* name = "sum";
  static tutti::sum op() { return {}; }
  static Type value(int rank, std::size_t i, std::uint64_t salt) { return as_type<Type>(small_number(rank, i, salt)); }
  static Type expected(int ranks, std::size_t i, std::uint64_t salt) {
    long total = 0;
    for (int rank = 0; rank < ranks; ++rank) total += small_number(rank, i, salt);
    return as_type<Type>(total);
  }
};

struct max_case {
  using type = float;
  static constexpr const char* name = "max";
  static tutti::max op() { return {}; }
  static float value(int rank, std::size_t i, std::uint64_t salt) { return float(chance(rank, i, salt) % 1000); }
  static float expected(int ranks, std::size_t i, std::uint64_t salt) {
    float most = value(0, i, salt);
    for (int rank = 1; rank < ranks; ++rank)
      if (value(rank, i, salt) > most) most = value(rank, i, salt);
    return most;
  }
};

struct min_case {
  using type = float;
  static constexpr const char* name = "min";
  static tutti::min op() { return {}; }
  static float value(int rank, std::size_t i, std::uint64_t salt) { return max_case::value(rank, i, salt); }
  static float expected(int ranks, std::size_t i, std::uint64_t salt) {
    float least = value(0, i, salt);
    for (int rank = 1; rank < ranks; ++rank)
      if (value(rank, i, salt) < least) least = value(rank, i, salt);
    return least;
  }
};

struct prod_case {
  using type = float;
  static constexpr const char* name = "prod";
  static tutti::prod op() { return {}; }
  static float value(int rank, std::size_t i, std::uint64_t salt) {
    constexpr float factors[] = {1, -1, 2, 0.5f};
    return factors[chance(rank, i, salt) % 4];
  }
  static float expected(int ranks, std::size_t i, std::uint64_t salt) {
    float product = 1;
    for (int rank = 0; rank < ranks; ++rank) product *= value(rank, i, salt);
    return product;
  }
};

struct avg_case {
  using type = float;
  static constexpr const char* name = "avg";
  static tutti::avg op() { return {}; }
  static float value(int rank, std::size_t i, std::uint64_t salt) { return float(small_number(rank, i, salt)); }
  static float expected(int ranks, std::size_t i, std::uint64_t salt) {
    return sum_case<float>::expected(ranks, i, salt) / float(ranks);
  }
};

struct max_loc_case {
  using type = tutti::located<float>;
  static constexpr const char* name = "max_loc";
  static tutti::max_loc op() { return {}; }
  static type value(int rank, std::size_t i, std::uint64_t salt) { return {float(small_number(rank, i, salt)), rank}; }
  static type expected(int ranks, std::size_t i, std::uint64_t salt) {
    type best = value(0, i, salt);
    for (int rank = 1; rank < ranks; ++rank)
      if (value(rank, i, salt).value > best.value) best = value(rank, i, salt);
    return best;
  }
};

/// A user's operator whose accumulator is another type, three times as long.
struct mean {
  static constexpr bool commutative = true;
  struct partial {
    double total;
    std::int64_t count;
  };
  TUTTI_FUN partial lift(float x) const { return {x, 1}; }
  TUTTI_FUN partial combine(const partial& a, const partial& b) const { return {a.total + b.total, a.count + b.count}; }
  TUTTI_FUN float lower(const partial& p, int) const { return float(p.total / double(p.count)); }
};
struct mean_case {
  using type = float;
  static constexpr const char* name = "a user's mean";
  static mean op() { return {}; }
  static float value(int rank, std::size_t i, std::uint64_t salt) { return float(small_number(rank, i, salt)); }
  static float expected(int ranks, std::size_t i, std::uint64_t salt) {
    return float(double(sum_case<float>::expected(ranks, i, salt)) / double(ranks));
  }
};

/// A user's functor with state: without it the answer is another one.
struct scaled_product {
  static constexpr bool commutative = true;
  float scale;
  TUTTI_FUN float operator()(float a, float b) const { return a * b * scale; }
};
struct scaled_case {
  using type = float;
  static constexpr const char* name = "a functor with state";
  static scaled_product op() { return {0.25f}; }
  static float value(int rank, std::size_t i, std::uint64_t salt) { return prod_case::value(rank, i, salt); }
  static float expected(int ranks, std::size_t i, std::uint64_t salt) {
    float product = prod_case::expected(ranks, i, salt);
    for (int fold = 1; fold < ranks; ++fold) product *= 0.25f;
    return product;
  }
};

inline constexpr std::uint32_t prime = 251;
/// Associative, and nothing else.
struct matrix_product {
  TUTTI_FUN matrix operator()(const matrix& a, const matrix& b) const {
    matrix c;
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        c.at[2 * row + column] = (a.at[2 * row] * b.at[column] + a.at[2 * row + 1] * b.at[2 + column]) % 251u;
    return c;
  }
};
struct matrix_case {
  using type = matrix;
  static constexpr const char* name = "a product in order";
  static matrix_product op() { return {}; }
  static matrix value(int rank, std::size_t i, std::uint64_t salt) {
    matrix made;
    for (std::size_t j = 0; j < 4; ++j) made.at[j] = std::uint32_t(chance(rank, 4 * i + j, salt) % prime);
    return made;
  }
  static matrix expected(int ranks, std::size_t i, std::uint64_t salt) {
    std::uint64_t all[4] = {1, 0, 0, 1};
    for (int rank = 0; rank < ranks; ++rank) {
      const matrix next = value(rank, i, salt);
      for (std::size_t row = 0; row < 4; row += 2) {
        const std::uint64_t left = all[row], right = all[row + 1];
        all[row] = (left * next.at[0] + right * next.at[2]) % prime;
        all[row + 1] = (left * next.at[1] + right * next.at[3]) % prime;
      }
    }
    return {{std::uint32_t(all[0]), std::uint32_t(all[1]), std::uint32_t(all[2]), std::uint32_t(all[3])}};
  }
};

struct add_rows {
  static constexpr bool commutative = true;
  template <class Number, std::size_t Length>
  TUTTI_FUN row_of<Number, Length> operator()(const row_of<Number, Length>& a, const row_of<Number, Length>& b) const {
    row_of<Number, Length> c;
    for (std::size_t i = 0; i < Length; ++i) c.at[i] = static_cast<Number>(a.at[i] + b.at[i]);
    return c;
  }
};
template <class Row>
struct rows_case {
  using type = Row;
  static constexpr const char* name = "a functor of structs";
  static constexpr std::size_t length = sizeof(Row) / sizeof(Row{}.at[0]);
  static add_rows op() { return {}; }
  static Row value(int rank, std::size_t i, std::uint64_t salt) {
    Row made;
    for (std::size_t j = 0; j < length; ++j)
      made.at[j] = as_type<std::remove_reference_t<decltype(made.at[0])>>(small_number(rank, i * length + j, salt));
    return made;
  }
  static Row expected(int ranks, std::size_t i, std::uint64_t salt) {
    Row made;
    for (std::size_t j = 0; j < length; ++j) {
      long total = 0;
      for (int rank = 0; rank < ranks; ++rank) total += small_number(rank, i * length + j, salt);
      made.at[j] = as_type<std::remove_reference_t<decltype(made.at[0])>>(total);
    }
    return made;
  }
};

}  // namespace conformance
