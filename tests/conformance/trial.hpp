// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One call, checked against what the formula of the inputs says.

#include "buffers.hpp"
#include "elements.hpp"
#include "front_door.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>

namespace conformance {

/// Which call failed: everything that is needed to run it alone.
struct call_site {
  const char *transport, *collective, *algorithm, *chunking, *op, *type;
  int size, rank, root;
  std::size_t count;
  bool in_place;
};

[[noreturn]] inline void fail(const call_site& at, const std::string& what) {
  char text[560];
  std::snprintf(
      text, sizeof text,
      "%s: %s [transport %s, algorithm %s, chunking %s, op %s, type %s, %d ranks, rank %d, n %zu, root %d, %s]",
      at.collective, what.c_str(), at.transport, at.algorithm, at.chunking, at.op, at.type, at.size, at.rank, at.count,
      at.root, at.in_place ? "in place" : "out of place");
  throw std::runtime_error(text);
}

template <class Type>
void expect_equal(const call_site& at, std::span<const Type> found, std::span<const Type> expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] == expected[i]) continue;
    std::string what = "wrong at element " + std::to_string(i);
    if constexpr (std::is_arithmetic_v<Type>)
      what += ": " + std::to_string(found[i]) + ", expected " + std::to_string(expected[i]);
    fail(at, what);
  }
}

/// What all ranks give to one collective of count elements, and what it must make of that. Each rank computes
/// it alone, once for all rows that are tried on it.
template <class Type>
struct problem {
  int size, rank;
  std::size_t count;
  std::uint64_t salt;
  domain values;
  std::vector<Type> own;    // this rank's
  std::vector<Type> total;  // folded
  tutti::range mine;        // this rank's shard, by counting

  template <class Case>
  static problem make(Case, int size, int rank, std::size_t count, std::uint64_t salt) {
    problem made{size, rank, count, salt, Case::values, std::vector<Type>(count), std::vector<Type>(count), {}};
    std::vector<Type> column(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < count; ++i) {
      for (int r = 0; r < size; ++r) column[std::size_t(r)] = sample<Type>(Case::values, r, i, salt);
      made.own[i] = column[std::size_t(rank)];
      made.total[i] = Case::template expect<Type>(column);
    }
    for (int r = 0; r <= rank; ++r) {
      made.mine.first += made.mine.count;
      made.mine.count = count / std::size_t(size) + (std::size_t(r) < count % std::size_t(size) ? 1 : 0);
    }
    return made;
  }
  std::vector<Type> given_by(int root) const {
    std::vector<Type> made(count);
    for (std::size_t i = 0; i < count; ++i) made[i] = sample<Type>(values, root, i, salt);
    return made;
  }
  /// Everyone's shard at its place.
  std::vector<Type> gathered() const {
    std::vector<Type> made(count);
    std::size_t i = 0;
    for (int r = 0; r < size; ++r) {
      std::size_t length = count / std::size_t(size) + (std::size_t(r) < count % std::size_t(size) ? 1 : 0);
      for (; length > 0; --length, ++i) made[i] = sample<Type>(values, r, i, salt);
    }
    return made;
  }
};

/// Tries rows of one collective, operator and type in one rank of a world.
template <class Collective, class Case, class Communicator, class Type>
class trial {
 public:
  using op_type = decltype(Case::op());
  using row_type = row<Communicator, Type, op_type>;
  static constexpr bool has_in_place = !std::is_same_v<Collective, tutti::collective::reduce_scatter> &&
                                       !std::is_same_v<Collective, tutti::collective::broadcast>;
  static constexpr bool rooted =
      std::is_same_v<Collective, tutti::collective::reduce> || std::is_same_v<Collective, tutti::collective::broadcast>;

  trial(Communicator& comm, const problem<Type>& given)
      : comm_(comm), given_(given), in_(input_count(given)), out_(output_count(given)) {}
  /// take(bytes) gives memory for the input, then for the output; null: any.
  template <class Take>
  trial(Communicator& comm, const problem<Type>& given, Take&& take)
      : comm_(comm),
        given_(given),
        in_(input_count(given), take(guarded<Type>::bytes_for(given.count))),
        out_(output_count(given), take(guarded<Type>::bytes_for(given.count))) {}

  /// In place and out of place, with this root.
  void run(const row_type& row, int root) {
    run(row, root, false);
    if (has_in_place) run(row, root, true);
  }

  void run(const row_type& row, int root, bool in_place) {
    const call_site at{Communicator::transport_name,
                       Collective::name,
                       row.algorithm,
                       row.chunking,
                       Case::name,
                       label<Type>,
                       given_.size,
                       given_.rank,
                       root,
                       given_.count,
                       in_place};
    const std::span<const Type> own = given_.own;
    const std::span<const Type> input = input_of(own);
    in_.fill(input);
    prepare(own, root, in_place);
    try {
      row.call(comm_, std::as_const(in_).span(), out_.span(), op_, root, in_place);
    } catch (const tutti::error& failure) {
      fail(at, failure.what());
    }
    if (!in_.guards_intact()) fail(at, "wrote beside its input");
    if (!out_.guards_intact()) fail(at, "wrote beside its output");
    if (given_.count != 0 && std::memcmp(in_.span().data(), input.data(), input.size_bytes()) != 0)
      fail(at, "changed its input");
    check(at, own, root, in_place);
  }

 private:
  static constexpr bool is_gather = std::is_same_v<Collective, tutti::collective::all_gather>;
  static constexpr bool is_scatter = std::is_same_v<Collective, tutti::collective::reduce_scatter>;
  static std::size_t input_count(const problem<Type>& given) { return is_gather ? given.mine.count : given.count; }
  static std::size_t output_count(const problem<Type>& given) { return is_scatter ? given.mine.count : given.count; }
  std::span<const Type> input_of(std::span<const Type> own) const {
    return is_gather ? own.subspan(given_.mine.first, given_.mine.count) : own;
  }

  /// The output before the call: poison, but for what the collective reads there.
  void prepare(std::span<const Type> own, int root, bool in_place) {
    out_.poison();
    const auto out = out_.span();
    if constexpr (is_gather) {
      if (in_place)
        for (std::size_t i = 0; i < given_.mine.count; ++i) out[given_.mine.first + i] = own[given_.mine.first + i];
    } else if constexpr (std::is_same_v<Collective, tutti::collective::broadcast>) {
      if (given_.rank == root) out_.fill(own);
    } else if constexpr (std::is_same_v<Collective, pipe>) {
      if (in_place) out_.fill(own);
      if (!in_place)
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = parameter(i);
    } else if constexpr (!is_scatter) {
      if (in_place) out_.fill(own);
    }
  }

  void check(const call_site& at, std::span<const Type> own, int root, bool in_place) {
    const std::span<const Type> out = out_.span();
    const std::span<const Type> total = given_.total;
    if constexpr (std::is_same_v<Collective, tutti::collective::reduce>) {
      if (given_.rank == root)
        expect_equal(at, out, total);
      else if (in_place)
        expect_equal(at, out, own);
      else if (!out_.untouched())
        fail(at, "wrote an output that is not the root's");
    } else if constexpr (is_scatter) {
      expect_equal(at, out, total.subspan(given_.mine.first, given_.mine.count));
    } else if constexpr (is_gather) {
      if (gathered_.size() != given_.count) gathered_ = given_.gathered();
      expect_equal<Type>(at, out, gathered_);
    } else if constexpr (std::is_same_v<Collective, tutti::collective::broadcast>) {
      if (root != broadcaster_) rootly_ = given_.given_by(broadcaster_ = root);
      expect_equal<Type>(at, out, rootly_);
    } else if constexpr (std::is_same_v<Collective, pipe>) {
      std::vector<Type> expected(given_.count);
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = in_place ? Type(total[i] + 7) : Type(parameter(i) - total[i]);
      expect_equal<Type>(at, out, expected);
    } else {
      expect_equal(at, out, total);
    }
  }
  static Type parameter(std::size_t i) requires std::is_same_v<Collective, pipe> { return Type(i % 17); }

  Communicator& comm_;
  const problem<Type>& given_;
  op_type op_ = Case::op();
  guarded<Type> in_, out_;
  std::vector<Type> gathered_, rootly_;
  int broadcaster_ = -1;
};

/// All rows of a table on one problem after the other.
template <class Collective, class Case, class Type, class Communicator, class Algorithms, class Chunkings>
void cover(Communicator& comm, Algorithms which, Chunkings how, const std::vector<std::size_t>& counts) {
  using tried = trial<Collective, Case, Communicator, Type>;
  const auto table = rows<Collective, Communicator, Type, typename tried::op_type>(which, how);
  std::uint64_t salt = 1;
  for (const std::size_t count : counts) {
    const auto given = problem<Type>::make(Case{}, comm.size(), comm.rank(), count, ++salt);
    tried attempt(comm, given);
    for (const auto& row : table) attempt.run(row, int((salt + count) % std::size_t(comm.size())));
  }
}

}  // namespace conformance
