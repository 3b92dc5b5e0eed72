// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Calls of any kind, one after the other: each has its memory, is given new values, called, and looked at later.

#include "operators.hpp"
#include "tables.hpp"
#include "trial.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace conformance {

class step {
 public:
  virtual ~step() = default;
  virtual void refill(std::uint64_t salt) = 0;
  virtual void call(stream_communicator& on) = 0;
  /// After its stream has run dry.
  virtual void verify() = 0;
};

template <class Type, class Op>
class step_of final : public step {
 public:
  using maker = std::function<job<Type>(std::uint64_t salt)>;
  step_of(site& here, const row<Type, Op>& by, const Op& op, const char* op_name, maker make, std::uint64_t salt,
          std::size_t shift, chunks chunking)
      : by_(by),
        op_(op),
        op_name_(op_name),
        make_(std::move(make)),
        chunking_(chunking),
        trial_(here, make_(salt), shift) {}

  void refill(std::uint64_t salt) override { trial_.refill(make_(salt)); }
  void call(stream_communicator& on) override {
    chosen_chunks = chunking_;
    trial_.call(on, by_, op_);
    chosen_chunks = chunks::usual;
  }
  void verify() override { trial_.verify(by_.collective, by_.algorithm, label<Type>, op_name_); }

 private:
  row<Type, Op> by_;
  Op op_;
  const char* op_name_;
  maker make_;
  chunks chunking_;
  trial<Type> trial_;
};

/// How a step's call is made.
struct manner {
  std::size_t n = 0;
  int root = 0;
  bool in_place = false;
  std::size_t shift = 0;
  std::uint64_t salt = 0;
  chunks chunking = chunks::usual;
};

template <class Collective>
std::unique_ptr<step> sum_step(site& here, const row<float, tutti::sum>& by, const manner& how) {
  const seat at{here.rank(), here.size(), how.root};
  const bool in_place = how.in_place && folds_in_place<Collective>;
  return std::make_unique<step_of<float, tutti::sum>>(
      here, by, tutti::sum{}, "sum",
      [=](std::uint64_t salt) { return fold_job<Collective, sum_case<float>>(at, how.n, in_place, salt); }, how.salt,
      how.shift, how.chunking);
}
template <class Collective>
std::unique_ptr<step> move_step(site& here, const row<float, no_operator>& by, const manner& how) {
  const seat at{here.rank(), here.size(), how.root};
  const bool in_place = how.in_place && std::is_same_v<Collective, tag::all_gather>;
  return std::make_unique<step_of<float, no_operator>>(
      here, by, no_operator{}, "nothing folded",
      [=](std::uint64_t salt) { return move_job<Collective, float>(at, how.n, in_place, salt); }, how.salt, how.shift,
      how.chunking);
}
inline std::unique_ptr<step> product_step(site& here, const row<matrix, matrix_product>& by, const manner& how) {
  const seat at{here.rank(), here.size(), how.root};
  return std::make_unique<step_of<matrix, matrix_product>>(
      here, by, matrix_product{}, matrix_case::name,
      [=](std::uint64_t salt) { return fold_job<tag::all_reduce, matrix_case>(at, how.n, how.in_place, salt); },
      how.salt, how.shift, how.chunking);
}

/// The same numbers on all ranks that start from the same seed.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t limit) { return std::size_t(scramble(state_++, 99)) % limit; }

 private:
  std::uint64_t state_;
};

template <class Type, class Op>
const row<Type, Op>& any_of(const std::vector<row<Type, Op>>& rows, dice& all) {
  return rows[all.below(rows.size())];
}

/// Any collective by any algorithm.
class any_step {
 public:
  std::unique_ptr<step> operator()(site& here, dice& all, const manner& how) const {
    switch (all.below(17)) {
      case 0:
        return sum_step<tag::all_reduce>(here, any_of(all_reduce_, all), how);
      case 1:
        return sum_step<tag::reduce>(here, any_of(reduce_, all), how);
      case 2:
        return sum_step<tag::reduce_scatter>(here, any_of(reduce_scatter_, all), how);
      case 3:
        return sum_step<tag::reduce_scatter_v>(here, any_of(reduce_scatter_v_, all), how);
      case 4:
        return sum_step<tag::scan>(here, any_of(scan_, all), how);
      case 5:
        return sum_step<tag::exclusive_scan>(here, any_of(exclusive_scan_, all), how);
      case 6:
        return move_step<tag::broadcast>(here, any_of(broadcast_, all), how);
      case 7:
        return move_step<tag::all_gather>(here, any_of(all_gather_, all), how);
      case 8:
        return move_step<tag::gather>(here, any_of(gather_, all), how);
      case 9:
        return move_step<tag::scatter>(here, any_of(scatter_, all), how);
      case 10:
        return move_step<tag::all_to_all>(here, any_of(all_to_all_, all), how);
      case 11:
        return move_step<tag::all_gather_v>(here, any_of(all_gather_v_, all), how);
      case 12:
        return move_step<tag::gather_v>(here, any_of(gather_v_, all), how);
      case 13:
        return move_step<tag::scatter_v>(here, any_of(scatter_v_, all), how);
      case 14:
        return move_step<tag::all_to_all_v>(here, any_of(all_to_all_v_, all), how);
      case 15:
        return product_step(here, any_of(products_, all), how);
      default:
        return nullptr;  // a barrier
    }
  }

 private:
  std::vector<row<float, tutti::sum>> all_reduce_ = sum_rows<tag::all_reduce>(), reduce_ = sum_rows<tag::reduce>(),
                                      reduce_scatter_ = sum_rows<tag::reduce_scatter>(),
                                      reduce_scatter_v_ = sum_rows<tag::reduce_scatter_v>(),
                                      scan_ = sum_rows<tag::scan>(), exclusive_scan_ = sum_rows<tag::exclusive_scan>();
  std::vector<row<float, no_operator>> broadcast_ = move_rows<tag::broadcast>(),
                                       all_gather_ = move_rows<tag::all_gather>(), gather_ = move_rows<tag::gather>(),
                                       scatter_ = move_rows<tag::scatter>(), all_to_all_ = move_rows<tag::all_to_all>(),
                                       all_gather_v_ = move_rows<tag::all_gather_v>(),
                                       gather_v_ = move_rows<tag::gather_v>(), scatter_v_ = move_rows<tag::scatter_v>(),
                                       all_to_all_v_ = move_rows<tag::all_to_all_v>();
  std::vector<row<matrix, matrix_product>> products_ = product_rows();
};

}  // namespace conformance
