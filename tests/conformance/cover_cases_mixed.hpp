// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Cases 20 and 21: ten thousand calls of every kind without barriers between them, from one seed, with ranks that are
// late by chance. Every result is checked. Flags and buffers that two kinds of calls, two lengths or two communicators
// share have broken others (sglang PR#13397, vllm PR#25892).

#include "cases.hpp"
#include "cover_sequences.hpp"

#include <tutti/async.hpp>
#include <tutti/plan.hpp>

#include <algorithm>

#include <unistd.h>

namespace conformance {

/// Calls on a communicator, a duplicate of it and a part of it.
template <class Communicator>
class mixed_calls {
 public:
  mixed_calls(Communicator& comm, std::uint64_t seed)
      : comm_(comm),
        twin_(comm.duplicate()),
        backwards_(comm.split(comm.rank() % 2, -comm.rank())),
        all_(seed),
        own_(seed * 977 + std::uint64_t(comm.rank())),
        planned_(40),
        plan_(tutti::plan(comm, [this](auto& later) {
          tutti::all_reduce(later, planned_, tutti::sum{}, tutti::ring{});
          tutti::barrier(later);
        })) {}

  void run(int calls) {
    for (int call = 0; call < calls; ++call) {
      if (own_.below(12) == 0) usleep(useconds_t(own_.below(200)));
      salt_ = std::uint64_t(call) + 1;
      one(comm_, all_.below(22));
    }
    expect_in_step(comm_, "mixed calls");
    expect_in_step(twin_, "mixed calls on the duplicate");
    expect_in_step(backwards_, "mixed calls on a part");
  }

 private:
  /// Mostly short; some beyond one_phase's limit, some beyond a letter.
  std::size_t any_count() {
    const std::size_t kind = all_.below(40);
    return kind == 0 ? 10000 + all_.below(70000) : kind < 6 ? 1000 + all_.below(4000) : all_.below(70);
  }
  int any_rank(const Communicator& comm) { return int(all_.below(std::size_t(comm.size()))); }

  void one(Communicator& comm, std::size_t kind) {
    switch (kind) {
      case 0:
        return reduces(comm, "all_reduce", tutti::automatic{});
      case 1:
        return reduces(comm, "all_reduce by ring", tutti::ring{});
      case 2:
        return reduces(comm, "all_reduce by recursive_doubling", tutti::recursive_doubling{});
      case 3:
        return to_root(comm, tutti::automatic{});
      case 4:
        return to_root(comm, tutti::tree{});
      case 5:
        return from_root(comm, tutti::automatic{});
      case 6:
        return from_root(comm, tutti::tree{});
      case 7:
        return shards(comm);
      case 8:
        return gathers(comm);
      case 9:
        return scatters(comm);
      case 10:
        return swaps(comm, "all_to_all", tutti::automatic{});
      case 11:
        return swaps(comm, "all_to_all by pairwise", tutti::pairwise{});
      case 12:
        return sparse(comm);
      case 13:
        return scans(comm);
      case 14:
        return shift(comm);
      case 15:
        return message(comm);
      case 16:
        return requests();
      case 17:
        return one(twin_, all_.below(16));
      case 18:
        return part();
      case 19:
        return planned();
      case 20:
        return by_counts(comm);
      default:
        return tutti::barrier(comm);
    }
  }

  template <class Algorithm>
  void reduces(Communicator& comm, const char* what, Algorithm how) {
    const std::size_t count = any_count();
    guarded<std::int32_t> out(count);
    tutti::all_reduce(comm, data_of(comm.rank(), count, salt_), out.span(), tutti::sum{}, how);
    expect_bits(comm, what, out, sum_of(comm.size(), count, salt_));
  }
  template <class Algorithm>
  void to_root(Communicator& comm, Algorithm how) {
    const std::size_t count = any_count();
    const int root = any_rank(comm);
    guarded<std::int32_t> out(count);
    tutti::reduce(comm, data_of(comm.rank(), count, salt_), out.span(), tutti::sum{}, root, how);
    if (comm.rank() == root)
      expect_bits(comm, "reduce", out, sum_of(comm.size(), count, salt_));
    else
      expect_untouched(comm, "reduce", out);
  }
  template <class Algorithm>
  void from_root(Communicator& comm, Algorithm how) {
    const std::size_t count = any_count();
    const int root = any_rank(comm);
    const ints given = data_of(root, count, salt_);
    guarded<std::int32_t> out(count);
    if (comm.rank() == root) out.fill(given);
    tutti::broadcast(comm, out.span(), root, how);
    expect_bits(comm, "broadcast", out, given);
  }
  void shards(Communicator& comm) {
    const std::size_t count = any_count();
    const ints total = sum_of(comm.size(), count, salt_);
    const tutti::range mine = tutti::shard(count, comm.size(), comm.rank());
    guarded<std::int32_t> shard(mine.count), whole(count);
    tutti::reduce_scatter(comm, data_of(comm.rank(), count, salt_), shard.span(), tutti::sum{});
    const auto first = total.begin() + std::ptrdiff_t(mine.first);
    expect_bits(comm, "reduce_scatter", shard, ints(first, first + std::ptrdiff_t(mine.count)));
    tutti::all_gather(comm, shard.span(), whole.span());
    expect_bits(comm, "all_gather", whole, total);
  }
  void gathers(Communicator& comm) {
    const std::size_t count = any_count();
    const int root = any_rank(comm);
    const bool here = comm.rank() == root;
    guarded<std::int32_t> out(here ? count : 0);
    tutti::gather(comm, shard_of(comm.rank(), comm.size(), count, salt_), out.span(), root);
    expect_bits(comm, "gather", out, here ? shards_of(comm.size(), count, salt_) : ints{});
  }
  void scatters(Communicator& comm) {
    const std::size_t count = any_count();
    const int root = any_rank(comm);
    const ints whole = data_of(root, count, salt_);
    const tutti::range mine = tutti::shard(count, comm.size(), comm.rank());
    guarded<std::int32_t> out(mine.count);
    tutti::scatter(comm, comm.rank() == root ? whole : ints{}, out.span(), root, tutti::tree{});
    const auto first = whole.begin() + std::ptrdiff_t(mine.first);
    expect_bits(comm, "scatter", out, ints(first, first + std::ptrdiff_t(mine.count)));
  }
  template <class Algorithm>
  void swaps(Communicator& comm, const char* what, Algorithm how) {
    const std::size_t part = any_count() / 4;
    ints in, expected;
    for (int peer = 0; peer < comm.size(); ++peer) {
      const ints given = data_of(comm.rank(), part, salt_ + std::uint64_t(peer) * 131);
      const ints taken = data_of(peer, part, salt_ + std::uint64_t(comm.rank()) * 131);
      in.insert(in.end(), given.begin(), given.end());
      expected.insert(expected.end(), taken.begin(), taken.end());
    }
    guarded<std::int32_t> out(in.size());
    tutti::all_to_all(comm, in, out.span(), how);
    expect_bits(comm, what, out, expected);
  }
  void sparse(Communicator& comm) {
    const std::size_t each = any_count() / 4;
    const auto count = [each](int from, int to) { return (from + to) % 2 == 0 ? 0 : each + std::size_t(to); };
    std::vector<std::size_t> sent;
    ints in, expected;
    for (int peer = 0; peer < comm.size(); ++peer) {
      sent.push_back(count(comm.rank(), peer));
      const ints given = data_of(comm.rank(), sent.back(), salt_);
      const ints taken = data_of(peer, count(peer, comm.rank()), salt_);
      in.insert(in.end(), given.begin(), given.end());
      expected.insert(expected.end(), taken.begin(), taken.end());
    }
    expect_bits(comm, "all_to_all_v", tutti::all_to_all_v(comm, in, sent).elements, expected);
  }
  void by_counts(Communicator& comm) {
    const std::size_t each = any_count() / 4;
    const auto length = [&](int rank) { return each + std::size_t(rank % 3) * 7; };
    ints all, total;
    std::size_t whole = 0;
    for (int rank = 0; rank < comm.size(); ++rank) {
      const ints one = data_of(rank, length(rank), salt_);
      all.insert(all.end(), one.begin(), one.end());
      whole += length(rank);
    }
    const ints own = data_of(comm.rank(), length(comm.rank()), salt_);
    guarded<std::int32_t> gathered(all.size()), shard(own.size());
    tutti::all_gather_v(comm, own, gathered.span());
    expect_bits(comm, "all_gather_v", gathered, all);
    const ints sum = sum_of(comm.size(), whole, salt_);
    tutti::reduce_scatter_v(comm, data_of(comm.rank(), whole, salt_), shard.span(), tutti::sum{});
    std::size_t first = 0;
    for (int rank = 0; rank < comm.rank(); ++rank) first += length(rank);
    const auto begin = sum.begin() + std::ptrdiff_t(first);
    expect_bits(comm, "reduce_scatter_v", shard, ints(begin, begin + std::ptrdiff_t(own.size())));
  }
  void scans(Communicator& comm) {
    const std::size_t count = any_count();
    const ints own = data_of(comm.rank(), count, salt_);
    guarded<std::int32_t> upto(count), below(count);
    tutti::scan(comm, own, upto.span(), tutti::sum{});
    tutti::exclusive_scan(comm, own, below.span(), tutti::sum{}, tutti::recursive_doubling{});
    expect_bits(comm, "scan", upto, sum_of(comm.rank() + 1, count, salt_));
    if (comm.rank() != 0) expect_bits(comm, "exclusive_scan", below, sum_of(comm.rank(), count, salt_));
  }
  void shift(Communicator& comm) {
    const std::size_t count = any_count();
    const int distance = any_rank(comm), tag = int(all_.below(5));
    const int to = (comm.rank() + distance) % comm.size(), from = (comm.rank() + comm.size() - distance) % comm.size();
    guarded<std::int32_t> out(count);
    tutti::send_recv(comm, to, data_of(comm.rank(), count, salt_), from, out.span(), tag);
    expect_bits(comm, "send_recv", out, data_of(from, count, salt_));
  }
  /// Between two ranks; the others go on. The later tag is taken first.
  void message(Communicator& comm) {
    const std::size_t count = any_count();
    const int from = any_rank(comm), to = any_rank(comm);
    if (from == to) return;
    if (comm.rank() == from) {
      tutti::send(comm, to, data_of(from, count, salt_), 1);
      tutti::send(comm, to, data_of(from, 30, salt_ + 1), 2);
    } else if (comm.rank() == to) {
      guarded<std::int32_t> first(count);
      auto early = tutti::async::recv(comm, from, first.span(), 1);
      const ints second = tutti::recv<std::int32_t>(comm, from, 2);
      early.wait();
      expect_bits(comm, "recv of the later tag", second, data_of(from, 30, salt_ + 1));
      expect_bits(comm, "recv of the earlier tag", first, data_of(from, count, salt_));
    }
  }
  /// On both communicators; a blocking call behind them; each rank waits in an order of its own.
  void requests() {
    const std::size_t count = any_count();
    const int me = comm_.rank(), p = comm_.size(), next = (me + 1) % p, last = (me + p - 1) % p;
    guarded<std::int32_t> one(count), other(count), came(count);
    const ints own = data_of(me, count, salt_);
    auto first = tutti::async::all_reduce(comm_, own, one.span(), tutti::sum{});
    auto second = tutti::async::scan(twin_, own, other.span(), tutti::sum{});
    auto taken = tutti::async::recv(comm_, last, came.span(), 9);
    auto given = tutti::async::send(comm_, next, own, 9);
    auto third = tutti::async::broadcast(comm_, me == p - 1 ? data_of(me, 64, salt_) : ints(64), p - 1);
    if (all_.below(2) == 0) reduces(comm_, "all_reduce behind requests", tutti::automatic{});
    if (own_.below(2) == 0) {
      second.wait();
      taken.wait();
    }
    if (own_.below(2) == 0) third.wait();
    if (own_.below(2) == 0) usleep(useconds_t(own_.below(100)));
    tutti::wait_all(first, second, taken, given);
    expect_bits(comm_, "a request's all_reduce", one, sum_of(p, count, salt_));
    expect_bits(comm_, "a request's scan on the duplicate", other, sum_of(me + 1, count, salt_));
    expect_bits(comm_, "a request's recv", came, data_of(last, count, salt_));
    expect_bits(comm_, "a request's broadcast", third.get(), data_of(p - 1, 64, salt_));
  }
  /// Ranks of one parity, in the opposite order. Their number differs, and so do the rolls of what they do: only the
  /// roots must be the same, so none are rolled here.
  void part() {
    const std::size_t count = any_count();
    const ints own = data_of(backwards_.rank(), count, salt_);
    guarded<std::int32_t> out(count);
    tutti::all_reduce(backwards_, own, out.span(), tutti::sum{}, tutti::tree{});
    expect_bits(backwards_, "all_reduce of a part", out, sum_of(backwards_.size(), count, salt_));
    const ints numbers = tutti::all_gather(backwards_, ints{comm_.rank()});
    for (std::size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] != numbers[i - 1] - 2) fail_case(comm_, "a part of the ranks isn't in the opposite order");
  }
  void planned() {
    std::ranges::copy(data_of(comm_.rank(), 40, salt_), planned_.begin());
    plan_.run();
    expect_bits(comm_, "a plan's all_reduce", planned_, sum_of(comm_.size(), 40, salt_));
  }

  Communicator& comm_;
  Communicator twin_, backwards_;
  dice all_, own_;
  std::uint64_t salt_ = 0;
  ints planned_;
  tutti::prepared_calls plan_;
};

/// Case 20 (sglang PR#13397).
template <class Transport>
void ten_thousand_mixed_calls() {
  using communicator = typename Transport::communicator;
  const auto run = [](int size, int calls) {
    in_world<Transport>(size, [calls](communicator& comm) {
      mixed_calls<communicator>(comm, std::uint64_t(comm.size()) * 20).run(calls);
    });
  };
  run(4, reduced ? 400 : 10000);
  run(3, reduced ? 200 : 2000);
  run(5, reduced ? 100 : 1000);
  run(1, reduced ? 100 : 1000);
}

/// Case 21 (vllm PR#25892, sglang PR#11609): a thousand calls, their lengths on both sides of every border in turn.
template <class Transport>
void a_thousand_alternating_lengths() {
  in_world<Transport>(3, [](typename Transport::communicator& comm) {
    const std::size_t lengths[] = {8, reduced ? 100000 : std::size_t(1) << 20, 9, 65536};
    std::vector<ints> given, total, upto;
    for (const std::size_t count : lengths) {
      given.push_back(data_of(comm.rank(), count, count));
      total.push_back(sum_of(comm.size(), count, count));
      upto.push_back(sum_of(comm.rank() + 1, count, count));
    }
    for (std::size_t call = 0; call < (reduced ? 100 : 1000); ++call) {
      // The long ones take as long as all the others: of them some only.
      const std::size_t which = call % 4 == 1 && call % 20 != 1 ? 3 : call % 4;
      guarded<std::int32_t> out(lengths[which]);
      if (call % 3 == 2) {
        tutti::scan(comm, given[which], out.span(), tutti::sum{});
        expect_bits(comm, "scan, alternating", out, upto[which]);
      } else {
        tutti::all_reduce(comm, given[which], out.span(), tutti::sum{});
        expect_bits(comm, "all_reduce, alternating", out, total[which]);
      }
    }
  });
}

}  // namespace conformance
