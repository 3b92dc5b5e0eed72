// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/op/arithmetic.hpp>
#include <tutti/op/bitwise.hpp>
#include <tutti/op/logical.hpp>
#include <tutti/transport/mpi_api.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <exception>
#include <type_traits>
#include <utility>

namespace tutti::detail {

template <class Value>
concept mpi_integer = std::is_integral_v<Value> && !std::is_same_v<Value, bool> && sizeof(Value) <= 8;
template <class Value>
concept mpi_number = mpi_integer<Value> || std::is_floating_point_v<Value>;

template <mpi_number Value>
MPI_Datatype mpi_type() {
  if constexpr (std::is_floating_point_v<Value>)
    return sizeof(Value) == sizeof(float) ? MPI_FLOAT : sizeof(Value) == sizeof(double) ? MPI_DOUBLE : MPI_LONG_DOUBLE;
  else if constexpr (std::is_signed_v<Value>)
    return sizeof(Value) == 1   ? MPI_INT8_T
           : sizeof(Value) == 2 ? MPI_INT16_T
           : sizeof(Value) == 4 ? MPI_INT32_T
                                : MPI_INT64_T;
  else
    return sizeof(Value) == 1   ? MPI_UINT8_T
           : sizeof(Value) == 2 ? MPI_UINT16_T
           : sizeof(Value) == 4 ? MPI_UINT32_T
                                : MPI_UINT64_T;
}

/// MPI's own operators that give the same bits as ours on such accumulators.
enum class mpi_operator { none, sum, prod, min, max, band, bor, bxor, land, lor, lxor };
template <class Op, class Value>
constexpr mpi_operator mpi_operator_of() {
  if constexpr (mpi_number<Value>) {
    if (std::is_same_v<Op, sum> || std::is_same_v<Op, avg>) return mpi_operator::sum;
    if (std::is_same_v<Op, prod>) return mpi_operator::prod;
  }
  if constexpr (mpi_integer<Value>) {  // the smaller of a NaN and a number is a matter of taste
    if (std::is_same_v<Op, min>) return mpi_operator::min;
    if (std::is_same_v<Op, max>) return mpi_operator::max;
    if (std::is_same_v<Op, band>) return mpi_operator::band;
    if (std::is_same_v<Op, bor>) return mpi_operator::bor;
    if (std::is_same_v<Op, bxor>) return mpi_operator::bxor;
    if (std::is_same_v<Op, land>) return mpi_operator::land;
    if (std::is_same_v<Op, lor>) return mpi_operator::lor;
    if (std::is_same_v<Op, lxor>) return mpi_operator::lxor;
  }
  return mpi_operator::none;
}
inline MPI_Op handle_of(mpi_operator which) {
  switch (which) {
    case mpi_operator::sum:
      return MPI_SUM;
    case mpi_operator::prod:
      return MPI_PROD;
    case mpi_operator::min:
      return MPI_MIN;
    case mpi_operator::max:
      return MPI_MAX;
    case mpi_operator::band:
      return MPI_BAND;
    case mpi_operator::bor:
      return MPI_BOR;
    case mpi_operator::bxor:
      return MPI_BXOR;
    case mpi_operator::land:
      return MPI_LAND;
    case mpi_operator::lor:
      return MPI_LOR;
    case mpi_operator::lxor:
      return MPI_LXOR;
    case mpi_operator::none:
      break;
  }
  return MPI_OP_NULL;
}

/// So many bytes as one MPI type: one of MPI's where it has such a width, else made for the call.
class mpi_bytes {
 public:
  mpi_bytes(std::size_t bytes, int rank) {
    made_ = bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8;
    if (!made_) {
      type_ = bytes == 1 ? MPI_UINT8_T : bytes == 2 ? MPI_UINT16_T : bytes == 4 ? MPI_UINT32_T : MPI_UINT64_T;
      return;
    }
    expect_mpi(MPI_Type_contiguous(int(bytes), MPI_BYTE, &type_), rank, "MPI_Type_contiguous");
    expect_mpi(MPI_Type_commit(&type_), rank, "MPI_Type_commit");
  }
  mpi_bytes(const mpi_bytes&) = delete;
  mpi_bytes& operator=(const mpi_bytes&) = delete;
  ~mpi_bytes() {
    if (made_) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool made_ = false;
};

/// An operator that MPI calls back while one blocking call lasts. MPI gives the function no room for a state, so the
/// thread remembers whose turn it is.
template <class Reduction>
class mpi_callback {
 public:
  using value = typename Reduction::accumulator;

  mpi_callback(const Reduction& op, bool commutes, int rank) : op_(op), before_(std::exchange(current(), this)) {
    const int code = MPI_Op_create(&fold, commutes ? 1 : 0, &handle_);
    if (code != MPI_SUCCESS) current() = before_;
    expect_mpi(code, rank, "MPI_Op_create");
  }
  mpi_callback(const mpi_callback&) = delete;
  mpi_callback& operator=(const mpi_callback&) = delete;
  ~mpi_callback() {
    current() = before_;
    MPI_Op_free(&handle_);
  }
  MPI_Op get() const { return handle_; }

  /// What the operator threw: it can't pass through MPI, so the call runs to its end first.
  void rethrow() const {
#if TUTTI_EXCEPTIONS
    if (failure_) std::rethrow_exception(failure_);
#endif
  }

 private:
  static mpi_callback*& current() {
    static thread_local mpi_callback* whose = nullptr;
    return whose;
  }
  /// both = lower combined with both: MPI's left operand comes from the lower ranks.
  static void fold(void* lower, void* both, int* count, MPI_Datatype*) {
    mpi_callback& self = *current();
#if TUTTI_EXCEPTIONS
    if (self.failure_) return;
    try {
      self.combine(lower, both, std::size_t(*count));
    } catch (...) {
      self.failure_ = std::current_exception();
    }
#else
    self.combine(lower, both, std::size_t(*count));
#endif
  }
  void combine(void* lower, void* both, std::size_t count) const {
    if constexpr (alignof(value) <= alignof(std::max_align_t)) {
      const value* left = static_cast<const value*>(lower);
      value* right = static_cast<value*>(both);
      for (std::size_t i = 0; i < count; ++i) right[i] = op_.combine(left[i], right[i]);
    } else {  // MPI's own memory knows no such alignment
      alignas(value) std::byte one[sizeof(value)], other[sizeof(value)];
      for (std::size_t at = 0; at < count * sizeof(value); at += sizeof(value)) {
        std::memcpy(one, static_cast<std::byte*>(lower) + at, sizeof(value));
        std::memcpy(other, static_cast<std::byte*>(both) + at, sizeof(value));
        const value joined = op_.combine(*reinterpret_cast<const value*>(one), *reinterpret_cast<const value*>(other));
        std::memcpy(static_cast<std::byte*>(both) + at, &joined, sizeof(value));
      }
    }
  }

  const Reduction& op_;
  mpi_callback* before_;
  MPI_Op handle_ = MPI_OP_NULL;
#if TUTTI_EXCEPTIONS
  std::exception_ptr failure_{};
#endif
};

}  // namespace tutti::detail
