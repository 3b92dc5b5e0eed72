// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// scan and exclusive_scan: rank r gets the fold of a column's first r + 1, or r, values.

#include "operators.hpp"
#include "trial.hpp"

#include <span>
#include <type_traits>

namespace conformance {

template <class Collective, class Case, class Communicator, class Type>
class prefix_trial {
 public:
  using op_type = decltype(Case::op());
  using row_type = row<Communicator, Type, op_type>;

  prefix_trial(Communicator& comm, std::size_t count, std::uint64_t salt)
      : comm_(comm), own_(count), expected_(count), in_(count), out_(count) {
    std::vector<Type> column(std::size_t(comm.size()));
    for (std::size_t i = 0; i < count; ++i) {
      for (int r = 0; r < comm.size(); ++r) column[std::size_t(r)] = sample<Type>(Case::values, r, i, salt);
      own_[i] = column[std::size_t(comm.rank())];
      if (gets_something()) expected_[i] = Case::template expect<Type>(std::span<const Type>(column).first(below()));
    }
  }

  void run(const row_type& row, bool in_place) {
    const call_site at{Communicator::transport_name,
                       Collective::name,
                       row.algorithm,
                       row.chunking,
                       Case::name,
                       label<Type>,
                       comm_.size(),
                       comm_.rank(),
                       0,
                       own_.size(),
                       in_place};
    in_.fill(own_);
    if (in_place)
      out_.fill(own_);
    else
      out_.poison();
    try {
      row.call(comm_, std::as_const(in_).span(), out_.span(), op_, 0, in_place);
    } catch (const tutti::error& failure) {
      fail(at, failure.what());
    }
    if (!in_.guards_intact()) fail(at, "wrote beside its input");
    if (!out_.guards_intact()) fail(at, "wrote beside its output");
    expect_equal<Type>(at, in_.span(), own_);
    if (gets_something())
      expect_equal<Type>(at, out_.span(), expected_);
    else if (in_place)
      expect_equal<Type>(at, out_.span(), own_);
    else if (!out_.untouched())
      fail(at, "wrote on rank 0, which gets nothing");
  }

 private:
  static constexpr bool exclusive = std::is_same_v<Collective, tutti::collective::exclusive_scan>;
  std::size_t below() const { return std::size_t(comm_.rank()) + (exclusive ? 0 : 1); }
  bool gets_something() const { return below() != 0; }

  Communicator& comm_;
  op_type op_ = Case::op();
  std::vector<Type> own_, expected_;
  guarded<Type> in_, out_;
};

template <class Collective, class Case, class Type, class Communicator, class Chunkings>
void cover_scan(Communicator& comm, Chunkings how) {
  using tried = prefix_trial<Collective, Case, Communicator, Type>;
  const auto table = rows<Collective, Communicator, Type, typename tried::op_type>(scanners{}, how);
  std::uint64_t salt = 1;
  const auto all_rows = [&](std::size_t count) {
    tried attempt(comm, count, ++salt);
    for (const auto& row : table)
      for (const bool in_place : {false, true}) attempt.run(row, in_place);
  };
  for (const std::size_t count : counts(comm.size() > 9 ? lengths::few : lengths::many, comm.size(), sizeof(Type)))
    all_rows(count);
  if (comm.size() > (reduced ? 3 : 5)) return;
  for (const std::size_t count : large_counts(sizeof(Type))) all_rows(count);
}

template <class Collective, class Transport>
void scans() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    cover_scan<Collective, matrix_case, matrix>(comm, two_chunkings{});
    cover_scan<Collective, digest_case, std::uint32_t>(comm, list<in_chunks_of_256>{});
    if constexpr (thorough<typename Transport::communicator>) {
      cover_scan<Collective, avg_case, double>(comm, list<by_default>{});
      cover_scan<Collective, mean_case, float>(comm, list<in_chunks_of_256>{});
    }
  });
}

}  // namespace conformance
