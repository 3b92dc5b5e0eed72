// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// gather, scatter and all_to_all: what a rank gets is a formula of whose it was and where it lay.

#include "trial.hpp"

#include <type_traits>

namespace conformance {

template <class Type>
std::vector<Type> samples(int rank, tutti::range where, std::uint64_t salt) {
  std::vector<Type> made(where.count);
  for (std::size_t i = 0; i < where.count; ++i) made[i] = sample<Type>(domain::sums, rank, where.first + i, salt);
  return made;
}

/// The shard of a rank, by counting.
inline tutti::range counted_shard(std::size_t count, int size, int rank) {
  tutti::range one{0, 0};
  for (int r = 0; r <= rank; ++r) {
    one.first += one.count;
    one.count = count / std::size_t(size) + (std::size_t(r) < count % std::size_t(size) ? 1 : 0);
  }
  return one;
}

/// One vector of count elements (all_to_all: count for each peer) that is gathered, scattered or exchanged.
template <class Collective, class Communicator, class Type>
class movement {
 public:
  static constexpr bool gathers = std::is_same_v<Collective, tutti::collective::gather>;
  static constexpr bool scatters = std::is_same_v<Collective, tutti::collective::scatter>;
  using row_type = row<Communicator, Type, tutti::sum>;

  movement(Communicator& comm, std::size_t count, std::uint64_t salt, int root)
      : comm_(comm),
        count_(count),
        root_(root),
        given_(given(salt)),
        expected_(expected(salt)),
        in_(given_.size()),
        out_(expected_.size()) {}

  void run(const row_type& row) {
    const call_site at{Communicator::transport_name,
                       Collective::name,
                       row.algorithm,
                       row.chunking,
                       "none",
                       label<Type>,
                       comm_.size(),
                       comm_.rank(),
                       root_,
                       count_,
                       false};
    in_.fill(given_);
    out_.poison();
    try {
      row.call(comm_, std::as_const(in_).span(), out_.span(), tutti::sum{}, root_, false);
    } catch (const tutti::error& failure) {
      fail(at, failure.what());
    }
    if (!in_.guards_intact()) fail(at, "wrote beside its input");
    if (!out_.guards_intact()) fail(at, "wrote beside its output");
    expect_equal<Type>(at, in_.span(), given_);
    if (gathers && comm_.rank() != root_) {
      if (!out_.untouched()) fail(at, "wrote an output that is not the root's");
    } else {
      expect_equal<Type>(at, out_.span(), expected_);
    }
  }

 private:
  bool here() const { return comm_.rank() == root_; }
  tutti::range mine() const { return counted_shard(count_, comm_.size(), comm_.rank()); }

  std::vector<Type> given(std::uint64_t salt) const {
    if (gathers) return samples<Type>(comm_.rank(), mine(), salt);
    // Who is no root gives scatter something that must not matter, of a length that must not matter.
    if (scatters) return samples<Type>(comm_.rank(), {0, here() ? count_ : count_ / 3}, salt);
    return samples<Type>(comm_.rank(), {0, count_ * std::size_t(comm_.size())}, salt);
  }
  std::vector<Type> expected(std::uint64_t salt) const {
    if (scatters) return samples<Type>(root_, mine(), salt);
    std::vector<Type> all;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const tutti::range part = gathers ? counted_shard(count_, comm_.size(), rank)
                                        : tutti::range{std::size_t(comm_.rank()) * count_, count_};
      const auto theirs = samples<Type>(rank, part, salt);
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
    if (gathers && !here()) all.resize(count_ / 2);  // nobody looks at it
    return all;
  }

  Communicator& comm_;
  std::size_t count_;
  int root_;
  std::vector<Type> given_, expected_;
  guarded<Type> in_, out_;
};

template <class Collective, class Type, class Communicator, class Chunkings>
void cover_movement(Communicator& comm, Chunkings how) {
  const auto table = rows<Collective, Communicator, Type, tutti::sum>(movers{}, how);
  std::uint64_t salt = 1;
  const auto all_rows = [&](std::size_t count, int root) {
    movement<Collective, Communicator, Type> attempt(comm, count, ++salt, root);
    for (const auto& row : table) attempt.run(row);
  };
  for (const std::size_t count : counts(comm.size() > 9 ? lengths::few : lengths::many, comm.size(), sizeof(Type)))
    all_rows(count, int((count + salt) % std::size_t(comm.size())));
  if constexpr (Collective::rooted)
    for (int root = 0; root < comm.size(); ++root)
      for (const int count : {comm.size() - 1, comm.size() + 1}) all_rows(std::size_t(count), root);
  if (comm.size() > (reduced ? 3 : 5)) return;
  for (const std::size_t count : large_counts(sizeof(Type))) {
    all_rows(count, comm.size() / 2);                                       // a whole beyond a letter, a stage
    if (Collective::rooted) all_rows(count * std::size_t(comm.size()), 0);  // a shard beyond them
  }
}

template <class Collective, class Transport>
void movements() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    cover_movement<Collective, std::int32_t>(comm, two_chunkings{});
    cover_movement<Collective, bytes_12>(comm, list<in_chunks_of_256>{});
    if constexpr (thorough<typename Transport::communicator>)
      cover_movement<Collective, double>(comm, list<by_default>{});
  });
}

/// Without memory, and in the forms that return vectors.
template <class Transport>
void returned_movements() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    const int last = comm.size() - 1;
    for (const std::size_t count : counts(lengths::few, comm.size(), sizeof(int))) {
      const auto own = samples<int>(comm.rank(), counted_shard(count, comm.size(), comm.rank()), count);
      const auto whole = tutti::gather(comm, own, last);
      expect(comm, whole.size() == (comm.rank() == last ? count : 0), "gather returns another length", long(count));
      auto back = own;
      for (int& value : back) value = ~value;
      tutti::scatter(comm, whole, back, last);
      expect(comm, back == own, "scatter of gather is not what was given", long(count));
      std::vector<int> rows(std::size_t(comm.size()) * count, comm.rank());
      const auto turned = tutti::all_to_all(comm, tutti::all_to_all(comm, rows));
      expect(comm, turned == rows, "all_to_all twice is not what was given", long(count));
    }
  });
}

}  // namespace conformance
