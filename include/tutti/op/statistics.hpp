// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/op/arithmetic.hpp>

#include <cmath>
#include <cstddef>

namespace tutti {

/// Count, mean and sum of squared deviations of a set of values: what Welford's method keeps.
struct moments {
  double count = 0;
  double mean = 0;
  double deviations = 0;

  TUTTI_FUN constexpr double variance() const { return count > 0 ? deviations / count : 0; }
  TUTTI_FUN constexpr double sample_variance() const { return count > 1 ? deviations / (count - 1) : 0; }
  TUTTI_FUN static constexpr moments of(double value) { return {1, value, 0}; }
  /// One value more.
  TUTTI_FUN constexpr void add(double value) {
    count += 1;
    const double before = value - mean;
    mean += before / count;
    deviations += before * (value - mean);
  }
};

/// Joins the moments of two sets, without loss where means are large and variances small.
/// Source: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing
/// sample variances", 1979.
struct welford {
  static constexpr bool commutative = true;
  static constexpr const char* name = "welford";
  TUTTI_FUN constexpr moments operator()(const moments& left, const moments& right) const {
    const double count = left.count + right.count;
    if (!(count > 0)) return {};
    const double apart = right.mean - left.mean;
    const double share = right.count / count;
    return {count, left.mean + apart * share, left.deviations + right.deviations + apart * apart * left.count * share};
  }
};

/// log(exp(x0) + exp(x1) + ...) without overflow: the largest exponent stays outside of the sum.
struct log_sum_exp {
  static constexpr bool commutative = true;
  static constexpr const char* name = "log_sum_exp";
  template <class Value>
  struct scaled {
    Value largest;
    Value sum;  // of exp(x - largest)
  };
  template <class Value>
    requires std::is_floating_point_v<Value> TUTTI_FUN scaled<Value> lift(const Value& value)
  const { return {value, Value(1)}; }
  template <class Value>
  TUTTI_FUN scaled<Value> combine(const scaled<Value>& left, const scaled<Value>& right) const {
    if (detail::is_nan(left.largest) || (!detail::is_nan(right.largest) && left.largest == right.largest))
      return {left.largest, left.sum + right.sum};  // also for two infinities, whose difference is no number
    if (detail::is_nan(right.largest) || left.largest < right.largest)
      return {right.largest, right.sum + left.sum * std::exp(left.largest - right.largest)};
    return {left.largest, left.sum + right.sum * std::exp(right.largest - left.largest)};
  }
  template <class Value>
  TUTTI_FUN Value lower(const scaled<Value>& value, int) const {
    return value.largest + std::log(value.sum);
  }
};

/// The Count largest values of a set, in falling order; fewer where the set is smaller.
template <class Value, std::size_t Count>
struct largest {
  static_assert(Count > 0, "tutti: largest<Value, Count> keeps at least one value");
  Value values[Count] = {};
  std::size_t size = 0;

  TUTTI_FUN constexpr void add(const Value& value) {
    std::size_t at = size < Count ? size++ : Count;
    if (at == Count) {
      if (!(values[Count - 1] < value)) return;
      at = Count - 1;
    }
    for (; at > 0 && values[at - 1] < value; --at) values[at] = values[at - 1];
    values[at] = value;
  }
};

/// Joins two sets to their largest values; of equal ones those of lower ranks stay.
struct top_k {
  static constexpr bool commutative = true;
  static constexpr const char* name = "top_k";
  template <class Value, std::size_t Count>
  TUTTI_FUN constexpr largest<Value, Count> operator()(const largest<Value, Count>& left,
                                                       const largest<Value, Count>& right) const {
    largest<Value, Count> joined;
    std::size_t l = 0, r = 0;
    while (joined.size < Count && (l < left.size || r < right.size)) {
      const bool from_left = r == right.size || (l < left.size && !(left.values[l] < right.values[r]));
      joined.values[joined.size++] = from_left ? left.values[l++] : right.values[r++];
    }
    return joined;
  }
};

}  // namespace tutti
