// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Operands in memory that all ranks share: collectives use it directly, where all of them have what they need there,
// and must see in time where some have not.

#include "operators.hpp"
#include "trial.hpp"

#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

/// Who has which operand in shared memory.
enum class shared_by { all, odd_ranks, inputs_only, results_only, rank_0 };

template <class Communicator>
class lender {
 public:
  lender(Communicator& comm, shared_by which) : comm_(comm), which_(which) {}

  /// In turns for the input and the result of a rank. Collective, also where this rank takes none.
  std::shared_ptr<std::byte> operator()(std::size_t bytes) {
    const bool result = turn_++ % 2 != 0;
    auto memory = std::make_shared<tutti::symmetric_buffer<std::byte>>(comm_.template allocate<std::byte>(bytes));
    const bool taken = which_ == shared_by::all || (which_ == shared_by::odd_ranks && comm_.rank() % 2 != 0) ||
                       (which_ == shared_by::inputs_only && !result) || (which_ == shared_by::results_only && result) ||
                       (which_ == shared_by::rank_0 && comm_.rank() == 0);
    return taken ? std::shared_ptr<std::byte>(memory, memory->data()) : nullptr;
  }

 private:
  Communicator& comm_;
  shared_by which_;
  int turn_ = 0;
};

template <class Collective, class Case, class Type, class Communicator>
void cover_shared(Communicator& comm, const std::vector<std::size_t>& counts) {
  using tried = trial<Collective, Case, Communicator, Type>;
  const auto table = rows<Collective, Communicator, Type, typename tried::op_type>(
      list<tutti::automatic, tutti::one_phase, tutti::direct>{}, list<by_default>{});
  std::uint64_t salt = 1;
  for (const std::size_t count : counts) {
    const auto given = problem<Type>::make(Case{}, comm.size(), comm.rank(), count, ++salt);
    for (const auto which :
         {shared_by::all, shared_by::odd_ranks, shared_by::inputs_only, shared_by::results_only, shared_by::rank_0}) {
      tried attempt(comm, given, lender<Communicator>(comm, which));
      for (int root = 0; root < (tried::rooted ? comm.size() : 1); ++root)
        for (const auto& row : table) attempt.run(row, root);
    }
  }
}

/// Around the length from which windows are shown, and over a tile; shorter ones between them, so that stages, lines
/// and windows take turns.
template <class Type>
std::vector<std::size_t> window_counts() {
  const std::size_t border = (4096 + sizeof(Type) - 1) / sizeof(Type);
  if (reduced) return {border, 31, 6 * border + 1};
  return {border - 1, 1, border, 31, border + 1, 0, 3 * border + 7, 26 * border + 1};
}

template <class Case, class Type, class Communicator>
void cover_windows_of(Communicator& comm) {
  namespace on = tutti::collective;
  const auto some = window_counts<Type>();
  cover_shared<on::all_reduce, Case, Type>(comm, some);
  cover_shared<on::reduce, Case, Type>(comm, some);
  cover_shared<on::reduce_scatter, Case, Type>(comm, some);
}

template <class Transport>
void windows() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    namespace on = tutti::collective;
    cover_windows_of<matrix_case, matrix>(comm);  // in rank order
    cover_windows_of<mean_case, float>(comm);     // an accumulator of another type
    if constexpr (!reduced) cover_windows_of<sum_case, bytes_3000>(comm);
    cover_shared<on::all_gather, sum_case, std::int32_t>(comm, window_counts<std::int32_t>());
    cover_shared<on::broadcast, sum_case, double>(comm, window_counts<double>());
  });
}

/// Where nobody has shared memory, looking for it costs nothing: the entry is the only chunk's phase.
template <class Transport>
void no_phase_for_plain_memory() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    std::vector<int> in(2000, comm.rank()), out(2000);
    const auto before = comm.phases();
    tutti::all_reduce(comm, in, out, tutti::sum{}, tutti::one_phase{}, tutti::whole{});
    tutti::broadcast(comm, out, comm.size() - 1, tutti::direct{}, tutti::whole{});
    if (comm.phases() != before)
      throw std::runtime_error(std::to_string(comm.phases() - before) + " phases where the entries are enough");
  });
}

/// all_to_all, and whose memory is used waits until it no longer is: it changes at once what it gave.
template <class Transport>
void windows_in_haste() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    const auto p = std::size_t(comm.size()), each = std::size_t(777);
    auto in = comm.template allocate<int>(p * each), out = comm.template allocate<int>(p * each);
    for (int turn = 0; turn < (reduced ? 5 : 40); ++turn) {
      for (std::size_t i = 0; i < p * each; ++i) in[i] = turn * 1000003 + comm.rank() * 1009 + int(i);
      tutti::all_to_all(comm, in, out);
      for (std::size_t i = 0; i < p * each; ++i) in[i] = -1;
      for (std::size_t from = 0; from < p; ++from)
        for (std::size_t i = 0; i < each; ++i)
          if (out[from * each + i] != turn * 1000003 + int(from) * 1009 + int(std::size_t(comm.rank()) * each + i))
            throw std::runtime_error("all_to_all " + std::to_string(turn) + ": rank " + std::to_string(comm.rank()) +
                                     " got a wrong block of rank " + std::to_string(from));
      const int root = turn % comm.size();
      for (std::size_t i = 0; i < p * each; ++i) out[i] = comm.rank() == root ? turn + int(i) : -1;
      tutti::broadcast(comm, out, root);
      const int last = out[p * each - 1];
      for (std::size_t i = 0; i < p * each; ++i) out[i] = -1;
      if (last != turn + int(p * each) - 1)
        throw std::runtime_error("broadcast " + std::to_string(turn) + ": rank " + std::to_string(comm.rank()) +
                                 " got another turn's");
    }
  });
}

/// Long blocks in anybody's own memory, copied from process to process: by all ranks, by none, or not by all, for some
/// of whom it is forbidden.
template <class Transport>
void long_moves() {
  for (const int size : {2, 3, 5})
    for (const int forbidden : {0, 1, 2})  // to nobody, to every second rank, to all
      in_world<Transport>(size, [forbidden](typename Transport::communicator& comm) {
        setenv("TUTTI_SINGLE_COPY", forbidden == 2 || (forbidden == 1 && comm.rank() % 2 != 0) ? "0" : "1", 1);
        const auto p = std::size_t(comm.size()), each = std::size_t(70001);
        std::vector<int> in(p * each), out(p * each);
        for (int turn = 0; turn < 4; ++turn) {
          const auto value = [&](std::size_t rank, std::size_t i) {
            return turn * 1000003 + int(rank) * 1009 + int(i);
          };
          const auto expect = [&](const char* what, std::size_t from, std::size_t first) {
            for (std::size_t i = 0; i < each; ++i)
              if (out[from * each + i] != value(from, first + i))
                throw std::runtime_error(std::string(what) + ": a wrong block of rank " + std::to_string(from));
          };
          const auto rank = std::size_t(comm.rank());
          for (std::size_t i = 0; i < p * each; ++i) in[i] = value(rank, i);
          tutti::all_to_all(comm, in, out);
          for (std::size_t i = 0; i < p * each; ++i) in[i] = -1;  // at once: nobody may read it any more
          for (std::size_t from = 0; from < p; ++from) expect("all_to_all", from, rank * each);
          for (std::size_t i = 0; i < each; ++i) in[i] = value(rank, i);
          tutti::all_gather(comm, std::span<const int>(in).first(each), out);
          for (std::size_t i = 0; i < each; ++i) in[i] = -1;
          for (std::size_t from = 0; from < p; ++from) expect("all_gather", from, 0);
        }
      });
}

/// Long folds of anybody's own memory, tiles of it copied from process to process: by all ranks, or not by all, as it
/// is forbidden to some. In rank order, over a tile, and in place.
template <class Transport>
void long_folds() {
  for (const int size : {2, 3, 5})
    for (const int forbidden : {0, 1})  // to nobody, to every second rank
      in_world<Transport>(size, [forbidden](typename Transport::communicator& comm) {
        setenv("TUTTI_SINGLE_COPY", forbidden != 0 && comm.rank() % 2 != 0 ? "0" : "1", 1);
        namespace on = tutti::collective;
        const auto fold = [&comm](auto what, auto test, auto of) {
          using type = decltype(of);
          using tried = trial<decltype(what), decltype(test), typename Transport::communicator, type>;
          const std::size_t count = (std::size_t(4) << 20) / sizeof(type) + 3;
          const auto given = problem<type>::make(test, comm.size(), comm.rank(), count, 1);
          const auto table = rows<decltype(what), typename Transport::communicator, type, typename tried::op_type>(
              list<tutti::one_phase, tutti::direct>{}, list<by_default>{});
          tried attempt(comm, given);
          for (const auto& row : table) attempt.run(row, 0);
        };
        fold(on::all_reduce{}, matrix_case{}, matrix{});
        fold(on::reduce_scatter{}, matrix_case{}, matrix{});
        if constexpr (!reduced) fold(on::all_reduce{}, mean_case{}, float{});  // an accumulator of another type
      });
}

/// Whose memory is copied waits until it no longer is.
template <class Transport>
void long_folds_in_haste() {
  in_world<Transport>(3, [](typename Transport::communicator& comm) {
    setenv("TUTTI_SINGLE_COPY", "1", 1);
    const std::size_t count = (std::size_t(1) << 20) + 1;
    std::vector<int> in(count), out(count), mine(tutti::shard(count, comm.size(), comm.rank()).count);
    for (int turn = 0; turn < 6; ++turn) {
      for (std::size_t i = 0; i < count; ++i) in[i] = turn * 1009 + comm.rank() * 17 + int(i % 1000);
      const auto wrong = [&](const std::vector<int>& found, std::size_t first) {
        std::size_t all = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
          all += found[i] != 3 * (turn * 1009 + int((first + i) % 1000)) + 51 ? 1U : 0U;
        return all;
      };
      if (turn % 2 == 0) {
        tutti::all_reduce(comm, in, out, tutti::sum{});
        const std::size_t found = wrong(out, 0);
        for (int& one : out) one = -1;  // peers had to read the result before
        if (found != 0) throw std::runtime_error("all_reduce: " + std::to_string(found) + " elements are wrong");
      } else {
        tutti::reduce_scatter(comm, in, mine, tutti::sum{});
        for (int& one : in) one = -1;
        const std::size_t found = wrong(mine, tutti::shard(count, comm.size(), comm.rank()).first);
        if (found != 0) throw std::runtime_error("reduce_scatter: " + std::to_string(found) + " elements are wrong");
      }
    }
  });
}

}  // namespace conformance
