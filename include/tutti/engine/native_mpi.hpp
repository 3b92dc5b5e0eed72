// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/engine/agreement.hpp>
#include <tutti/engine/native.hpp>
#include <tutti/engine/native_mpi_fold.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/obligation.hpp>
#include <tutti/transport/mpi_api.hpp>

#include <climits>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace tutti::detail {

/// A collective by MPI's own blocking one. Where blocks don't lie side by side they go through memory of the call:
/// MPI counts displacements in int.
template <class Communicator, class Collective, class Reduction, class Op, bool Commutes>
class native_mpi_executor {
 public:
  using element = typename Reduction::element;

  native_mpi_executor(Communicator& comm, const call_signature& call, const Reduction& op, operands<element>&& given)
      : comm_(comm),
        op_(op),
        rank_(comm.rank()),
        size_(comm.size()),
        root_(given.root),
        where_(static_cast<operands<element>&&>(given), place{comm.rank(), comm.size(), given.root}, comm.size()) {
    const bool agrees = where_.given().agrees;
    if (!agrees) expect_countable(where_.given().count);
    call_ = describe(call, agrees ? 0 : where_.given().count, sizeof(element), 0, root_);
  }

  progress step() {
    const bool agrees = where_.given().agrees;
    if (!begun_) {
      if ((agrees ? comm_.try_begin(call_, where_.given().word) : comm_.try_begin(call_)) != progress::done)
        return progress::waiting;
      begun_ = true;
    }
    if (agrees) {
      using agreement_type = agreement<Collective, Communicator, memory>;
      if (!agreement_type::complete(comm_, peer_)) return progress::waiting;
      agreement_type(comm_, where_).settle();
      expect_countable(is<collective::all_to_all> ? where_.given().longest * std::size_t(size_) : count());
    }
    run();
    return progress::done;
  }
  void restart() {
    begun_ = false;
    peer_ = 0;
  }

 private:
  using value = typename Reduction::accumulator;
  using memory = storage<element, value>;
  template <class Tag>
  static constexpr bool is = std::derived_from<Collective, Tag>;

  void expect_countable(std::size_t elements) const {
    if (elements > std::size_t(INT_MAX))
      fail(errc::bad_argument, rank_,
           "%s on rank %d: native takes at most %d elements, as MPI counts in int, and these are %zu; use another "
           "algorithm",
           Collective::name, rank_, INT_MAX, elements);
  }
  void expect(int code, const char* call) const { expect_mpi(code, rank_, call); }
  MPI_Comm handle() const { return comm_.native_handle(); }
  bool at_root() const { return rank_ == root_; }
  std::size_t count() const { return where_.given().count; }
  bool listed() const { return where_.given().listed; }
  const element* block_input(int block) const {
    return static_cast<const element*>(where_.read(form::input, block, 0));
  }
  element* block_result(int block) const { return static_cast<element*>(where_.write(form::final, block, 0)); }
  std::size_t length(int block) const { return where_.count(block, true); }
  /// Shards of one length, for the calls that need no list of them.
  bool even() const { return where_.given().table.empty() && count() % std::size_t(size_) == 0; }

  void run() {
    if constexpr (!is<collective::all_to_all>)
      if (count() == 0) return;  // on all ranks
    if constexpr (Collective::reduces) {
      constexpr mpi_operator own = mpi_operator_of<Op, value>();
      if constexpr (own != mpi_operator::none) {
        fold(mpi_type<value>(), handle_of(own));
      } else {
        const mpi_bytes type(sizeof(value), rank_);
        mpi_callback<Reduction> callback(op_, Commutes, rank_);
        fold(type.get(), callback.get());
        callback.rethrow();
      }
    } else {
      const mpi_bytes type(sizeof(element), rank_);
      if constexpr (is<collective::broadcast>)
        expect(MPI_Bcast(where_.given().result, int(count()), type.get(), root_, handle()), "MPI_Bcast");
      else if constexpr (is<collective::scatter>)
        scatter(type.get());
      else if constexpr (is<collective::all_to_all>)
        exchange(type.get());
      else
        gather(type.get());
    }
  }

  // ---- what is folded -----------------------------------------------------------------------------------

  void fold(MPI_Datatype type, MPI_Op op) {
    const operands<element>& given = where_.given();
    pooled_array<std::byte> room;
    if constexpr (Reduction::accumulates) {
      auto* own = static_cast<value*>(comm_.scratch(2 * count() * sizeof(value)));
      value* const sums = is<collective::reduce> ? own + count() : own;
      lift(own);
      call(is<collective::reduce> ? own : MPI_IN_PLACE, sums, type, op);
      lower(sums);
    } else if constexpr (is<collective::reduce_scatter>) {
      call(listed() ? packed(room) : given.input, block_result(rank_), type, op);
    } else if (is<collective::reduce> && given.in_place && count() != 0) {
      // Not by MPI_IN_PLACE: MPICH 4.0 reads from that address where the root isn't rank 0 and the operator is a
      // function.
      void* own = comm_.scratch(count() * sizeof(element));
      std::memcpy(own, given.input, count() * sizeof(element));
      call(own, given.result, type, op);
    } else {
      call(given.in_place ? MPI_IN_PLACE : given.input, given.result, type, op);
    }
  }

  void call(const void* in, void* out, MPI_Datatype type, MPI_Op op) {
    const int n = int(count());
    if constexpr (is<collective::all_reduce>) {
      expect(MPI_Allreduce(in, out, n, type, op, handle()), "MPI_Allreduce");
    } else if constexpr (is<collective::reduce>) {
      expect(MPI_Reduce(in, out, n, type, op, root_, handle()), "MPI_Reduce");
    } else if constexpr (is<collective::reduce_scatter>) {
      pooled_array<int> counts(comm_.memory_pool(), std::size_t(size_));
      for (int block = 0; block < size_; ++block) counts[std::size_t(block)] = int(length(block));
      expect(MPI_Reduce_scatter(in, out, counts.data(), type, op, handle()), "MPI_Reduce_scatter");
    } else if constexpr (is<collective::exclusive_scan>) {
      expect(MPI_Exscan(in, out, n, type, op, handle()), "MPI_Exscan");
    } else {
      expect(MPI_Scan(in, out, n, type, op, handle()), "MPI_Scan");
    }
  }

  void lift(value* to) const {
    if constexpr (is<collective::reduce_scatter>) {
      for (int block = 0; block < size_; ++block) {
        const element* from = block_input(block);
        for (std::size_t i = 0; i < length(block); ++i) *to++ = op_.lift(from[i]);
      }
    } else {
      for (std::size_t i = 0; i < count(); ++i) to[i] = op_.lift(where_.given().input[i]);
    }
  }
  void lower(const value* from) const {
    if (!owed<Collective>({rank_, size_, root_}, rank_)) return;
    element* to = where_.given().result;
    std::size_t elements = count();
    if constexpr (is<collective::reduce_scatter>) {
      to = block_result(rank_);
      elements = length(rank_);
    }
    const int folded = contributions<Collective>(rank_, size_);
    for (std::size_t i = 0; i < elements; ++i) to[i] = op_.lower(from[i], folded);
  }

  // ---- what is moved ------------------------------------------------------------------------------------

  /// Lengths and places of the blocks, as MPI wants them.
  struct blocks {
    pooled_array<int> counts, places;
    template <class Length>
    blocks(pool& from, int size, Length&& length) : counts(from, std::size_t(size)), places(from, std::size_t(size)) {
      int total = 0;
      for (int rank = 0; rank < size; ++rank) {
        places[std::size_t(rank)] = total;
        total += counts[std::size_t(rank)] = int(length(rank));
      }
    }
    std::size_t first(int rank) const { return std::size_t(places[std::size_t(rank)]); }
  };
  blocks all_blocks() const {
    return {comm_.memory_pool(), size_, [this](int block) { return length(block); }};
  }

  element* room_for(pooled_array<std::byte>& room, std::size_t elements) const {
    room = pooled_array<std::byte>(comm_.memory_pool(), elements * sizeof(element));
    return reinterpret_cast<element*>(room.data());
  }
  /// The blocks of a list of inputs one after the other.
  const element* packed(pooled_array<std::byte>& room) const {
    element* to = room_for(room, count());
    element* const first = to;
    for (int block = 0; block < size_; to += length(block++)) copy(to, block_input(block), length(block));
    return first;
  }
  static void copy(element* to, const element* from, std::size_t elements) {
    if (elements != 0) std::memcpy(static_cast<void*>(to), from, elements * sizeof(element));
  }

  /// gather and all_gather.
  void gather(MPI_Datatype type) {
    constexpr bool all = is<collective::all_gather>;
    const bool receives = all || at_root();
    pooled_array<std::byte> room;
    element* whole = !receives ? nullptr : listed() ? room_for(room, count()) : where_.given().result;
    const void* in = all && !where_.given().own_block_given ? MPI_IN_PLACE : block_input(rank_);
    const int mine = int(length(rank_));
    if (even()) {
      if constexpr (all)
        expect(MPI_Allgather(in, mine, type, whole, mine, type, handle()), "MPI_Allgather");
      else
        expect(MPI_Gather(in, mine, type, whole, mine, type, root_, handle()), "MPI_Gather");
      return;
    }
    const blocks to = all_blocks();
    if constexpr (all)
      expect(MPI_Allgatherv(in, mine, type, whole, to.counts.data(), to.places.data(), type, handle()),
             "MPI_Allgatherv");
    else
      expect(MPI_Gatherv(in, mine, type, whole, to.counts.data(), to.places.data(), type, root_, handle()),
             "MPI_Gatherv");
    if (receives && listed())
      for (int block = 0; block < size_; ++block) copy(block_result(block), whole + to.first(block), length(block));
  }

  void scatter(MPI_Datatype type) {
    pooled_array<std::byte> room;
    const element* whole = !at_root() ? nullptr : listed() ? packed(room) : where_.given().input;
    const int mine = int(length(rank_));
    if (even()) {
      expect(MPI_Scatter(whole, mine, type, block_result(rank_), mine, type, root_, handle()), "MPI_Scatter");
      return;
    }
    const blocks from = all_blocks();
    expect(MPI_Scatterv(whole, from.counts.data(), from.places.data(), type, block_result(rank_), mine, type, root_,
                        handle()),
           "MPI_Scatterv");
  }

  void exchange(MPI_Datatype type) {
    const operands<element>& given = where_.given();
    if (given.table.empty()) {
      const int part = int(count() / std::size_t(size_));
      if (part == 0) return;
      expect(MPI_Alltoall(given.input, part, type, given.result, part, type, handle()), "MPI_Alltoall");
      return;
    }
    // By rank, where the table is by distance.
    const auto sent = [&](int rank) -> const block_entry<element>& { return given.table[distance(rank_, rank)]; };
    const auto received = [&](int rank) -> const block_entry<element>& { return given.table[distance(rank, rank_)]; };
    pool& from = comm_.memory_pool();
    const blocks out(from, size_, [&](int rank) { return sent(rank).sent; });
    const blocks in(from, size_, [&](int rank) { return received(rank).received; });
    bool in_runs = true, out_runs = true;
    for (int rank = 1; rank < size_; ++rank) {
      out_runs = out_runs && sent(rank).input == sent(rank - 1).input + sent(rank - 1).sent;
      in_runs = in_runs && received(rank).result == received(rank - 1).result + received(rank - 1).received;
    }
    pooled_array<std::byte> room, more_room;
    const element* parts = sent(0).input;
    element* result = received(0).result;
    if (!out_runs) {
      element* const to = room_for(room, out.first(size_ - 1) + sent(size_ - 1).sent);
      for (int rank = 0; rank < size_; ++rank) copy(to + out.first(rank), sent(rank).input, sent(rank).sent);
      parts = to;
    }
    if (!in_runs) result = room_for(more_room, in.first(size_ - 1) + received(size_ - 1).received);
    expect(MPI_Alltoallv(parts, out.counts.data(), out.places.data(), type, result, in.counts.data(), in.places.data(),
                         type, handle()),
           "MPI_Alltoallv");
    if (!in_runs)
      for (int rank = 0; rank < size_; ++rank)
        copy(received(rank).result, result + in.first(rank), received(rank).received);
  }
  std::size_t distance(int from, int to) const { return std::size_t(to >= from ? to - from : to - from + size_); }

  Communicator& comm_;
  Reduction op_;
  int rank_, size_, root_;
  memory where_;
  descriptor call_;
  bool begun_ = false;
  int peer_ = 0;
};

template <class Communicator>
class native_mpi_barrier {
 public:
  native_mpi_barrier(Communicator& comm, const call_signature& call) : comm_(comm), call_(describe(call, 0, 0, 0, 0)) {}
  progress step() {
    if (comm_.try_begin(call_) != progress::done) return progress::waiting;
    expect_mpi(MPI_Barrier(comm_.native_handle()), comm_.rank(), "MPI_Barrier");
    return progress::done;
  }
  void restart() {}

 private:
  Communicator& comm_;
  descriptor call_;
};

template <>
struct native_library<MPI_Comm> {
  template <class Communicator>
  using barrier = native_mpi_barrier<Communicator>;
  template <class Communicator, class Collective, class Reduction, class Op, bool Commutes>
  using executor = native_mpi_executor<Communicator, Collective, Reduction, Op, Commutes>;
};

}  // namespace tutti::detail
