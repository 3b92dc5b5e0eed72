// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Cases 6, 7, 10, 30 and two of those without a number: reductions in place, in rank order, of wide elements, of bits,
// with data that changes between the runs of a plan, and by operators with state.

#include "cases.hpp"
#include "cover_calls.hpp"

#include <tutti/async.hpp>
#include <tutti/plan.hpp>

#include <algorithm>
#include <functional>

namespace conformance {

/// Those that serve scans; the others are tried with whatever folds everything.
using scan_algorithms =
    std::conditional_t<reduced, list<tutti::automatic, tutti::recursive_doubling>,
                       list<tutti::automatic, by_messages<tutti::one_phase>, tutti::recursive_doubling, tutti::chain>>;

/// Case 6 (ompi#9385 and others): scans in place are scans out of place; trial.hpp does the same to what is older.
template <class Transport>
void scans_in_place() {
  namespace on = tutti::collective;
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    const int me = comm.rank();
    for (const std::size_t count : {std::size_t(1), std::size_t(2), std::size_t(8192), std::size_t(70001)}) {
      if (count > 10000 && comm.size() > 5) continue;
      const ints own = data_of(me, count, count), below = sum_of(me, count, count), upto = sum_of(me + 1, count, count);
      const std::span<const std::int32_t> given = own;
      with_each<on::scan, communicator, std::int32_t, tutti::sum>(scan_algorithms{}, [&](auto how, const auto& what) {
        guarded<std::int32_t> same(count), other(count);
        same.fill(given);
        tutti::scan(comm, same.span(), tutti::sum{}, how, tutti::chunked<4096>{});
        expect_bits(comm, what + " in place", same, upto);
        tutti::scan(comm, own, other.span(), tutti::sum{}, how, tutti::chunked<4096>{});
        expect_bits(comm, what, other, upto);
      });
      with_each<on::exclusive_scan, communicator, std::int32_t, tutti::sum>(
          scan_algorithms{}, [&](auto how, const auto& what) {
            guarded<std::int32_t> same(count), other(count);
            same.fill(given);
            tutti::exclusive_scan(comm, same.span(), tutti::sum{}, how, tutti::chunked<4096>{});
            expect_bits(comm, what + " in place", same, me == 0 ? own : below);
            tutti::exclusive_scan(comm, own, other.span(), tutti::sum{}, how, tutti::chunked<4096>{});
            if (me == 0)
              expect_untouched(comm, what, other);
            else
              expect_bits(comm, what, other, below);
          });
      expect_bits(comm, "the input of the scans", own, data_of(me, count, count));
    }
  });
}

/// Case 6: ranges that are neither the same nor apart, in the calls that refusals() doesn't know.
template <class Transport>
void more_overlaps() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const auto p = std::size_t(comm.size());
        const int me = comm.rank();
        ints memory(20 * p, 1);
        const std::span<std::int32_t> all(memory), low = all.first(12 * p), high = all.last(12 * p);
        const std::vector<std::size_t> twelve(p, 12);
        const auto mine = low.subspan(tutti::shard(12 * p, comm.size(), me).first, 12);
        const auto apart = [&](auto&& call) { expect_refusal(comm, "overlap", call); };
        apart([&] { tutti::scan(comm, low, high, tutti::sum{}); });
        apart([&] { tutti::exclusive_scan(comm, high, low, tutti::sum{}); });
        apart([&] { tutti::all_to_all(comm, low, high); });
        apart([&] { tutti::all_to_all(comm, low, low); });
        apart([&] { tutti::all_to_all_v(comm, low, twelve, high, twelve); });
        apart([&] { tutti::gather(comm, mine, low, me); });
        apart([&] { tutti::gather_v(comm, mine, low, me); });
        apart([&] { tutti::scatter(comm, low, mine, me); });
        apart([&] { tutti::scatter_v(comm, low, mine, me); });
        apart([&] { tutti::all_gather_v(comm, mine, low); });
        apart([&] { tutti::reduce_scatter_v(comm, low, mine, tutti::sum{}); });
        apart([&] { tutti::all_gather(comm, mine, std::vector<std::span<std::int32_t>>(p, mine)); });
        apart([&] { tutti::send_recv(comm, me, low, me, high); });
        for (const auto value : memory)
          if (value != 1) fail_case(comm, "a refused call wrote");
        expect_in_step(comm, "refused calls");
      },
      5);
}

/// What the ranks wrote one after the other.
struct word {
  static constexpr std::size_t most = 31;
  char text[most];
  std::uint8_t length;
};
struct append {
  word operator()(const word& a, const word& b) const {
    word both = a;
    for (std::uint8_t i = 0; i < b.length && both.length < word::most; ++i) both.text[both.length++] = b.text[i];
    return both;
  }
};
inline word word_of(int first, int last, std::size_t index) {
  word made{};
  for (int rank = first; rank < last; ++rank)
    made.text[made.length++] = "0123456789abcdefghijklmnopqrstuv"[(std::size_t(rank) + index) % 32];
  return made;
}
inline std::vector<word> words_of(int first, int last, tutti::range which) {
  std::vector<word> made;
  for (std::size_t i = which.first; i < which.end(); ++i) made.push_back(word_of(first, last, i));
  return made;
}

/// Case 7 (ompi#1754): "0" + "1" + ... is written in that order by every collective that folds, for every root.
template <class Transport>
void words_in_rank_order() {
  namespace on = tutti::collective;
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    for (const std::size_t count : {std::size_t(1), std::size_t(67), std::size_t(reduced ? 300 : 9001)}) {
      if (count > 1000 && p > 5) continue;
      const tutti::range all{0, count}, mine = tutti::shard(count, p, me);
      const auto own = words_of(me, me + 1, all), total = words_of(0, p, all);
      const auto each = [&]<class Collective>(Collective, auto&& use) {
        using others = std::conditional_t<reduced, list<tutti::automatic>, list<tutti::automatic, tutti::tree>>;
        using tried = std::conditional_t<Collective::prefix, scan_algorithms, others>;
        with_each<Collective, communicator, word, append>(tried{}, use);
      };
      each(on::all_reduce{}, [&](auto how, const auto& what) {
        guarded<word> out(count);
        tutti::all_reduce(comm, own, out.span(), append{}, how);
        expect_bits(comm, what, out, total);
      });
      each(on::reduce{}, [&](auto how, const auto& what) {
        for (int root = 0; root<p; root += p> 9 ? 5 : 1) {
          guarded<word> out(count);
          tutti::reduce(comm, own, out.span(), append{}, root, how);
          if (me == root)
            expect_bits(comm, what, out, total);
          else
            expect_untouched(comm, what, out);
        }
      });
      each(on::reduce_scatter{}, [&](auto how, const auto& what) {
        guarded<word> out(mine.count);
        tutti::reduce_scatter(comm, own, out.span(), append{}, how);
        expect_bits(comm, what, out, words_of(0, p, mine));
      });
      each(on::scan{}, [&](auto how, const auto& what) {
        guarded<word> out(count);
        tutti::scan(comm, own, out.span(), append{}, how, tutti::chunked<1024>{});
        expect_bits(comm, what, out, words_of(0, me + 1, all));
      });
      each(on::exclusive_scan{}, [&](auto how, const auto& what) {
        guarded<word> out(count);
        tutti::exclusive_scan(comm, own, out.span(), append{}, how);
        if (me != 0) expect_bits(comm, what, out, words_of(0, me, all));
      });
    }
  });
}

/// Case 10 (ompi#1764, mpich#6550): elements larger than a chunk, and of sizes that no chunk is a multiple of.
template <class Element, class Communicator, class... Algorithms>
void wide_elements_by(Communicator& comm, list<Algorithms...>, const std::vector<std::size_t>& counts) {
  namespace on = tutti::collective;
  using small_chunks = tutti::chunked<64 * tutti::KiB>;
  const int p = comm.size(), me = comm.rank();
  for (const std::size_t count : counts) {
    const auto own = data_of<Element>(me, count, 3);
    auto total = data_of<Element>(0, count, 3);
    for (int rank = 1; rank < p; ++rank) {
      const auto theirs = data_of<Element>(rank, count, 3);
      for (std::size_t i = 0; i < count; ++i) total[i] = total[i] + theirs[i];
    }
    std::vector<Element> all;
    for (int rank = 0; rank < p; ++rank)
      for (const Element& one : data_of<Element>(rank, count, 3)) all.push_back(one);
    const auto both = list<Algorithms...>{};
    with_each<on::all_reduce, Communicator, Element, tutti::sum>(both, [&](auto how, const auto& what) {
      guarded<Element> out(count);
      tutti::all_reduce(comm, own, out.span(), tutti::sum{}, how, small_chunks{});
      expect_bits(comm, what, out, total);
    });
    with_each<on::all_gather, Communicator, Element, void>(both, [&](auto how, const auto& what) {
      guarded<Element> out(count * std::size_t(p));
      tutti::all_gather(comm, own, out.span(), how, small_chunks{});
      expect_bits(comm, what, out, all);
    });
    with_each<on::all_to_all, Communicator, Element, void>(both, [&](auto how, const auto& what) {
      std::vector<Element> parts;
      for (int rank = 0; rank < p; ++rank) parts.insert(parts.end(), own.begin(), own.end());
      guarded<Element> out(count * std::size_t(p));
      tutti::all_to_all(comm, parts, out.span(), how, small_chunks{});
      expect_bits(comm, what, out, all);
    });
    guarded<Element> came(count);
    tutti::send_recv(comm, (me + 1) % p, own, (me + p - 1) % p, came.span());
    expect_bits(comm, "send_recv of wide elements", came, data_of<Element>((me + p - 1) % p, count, 3));
  }
}

template <class Transport>
void wide_elements() {
  using bytes_24 = block_of<double, 3>;
  using bytes_100k = block_of<std::uint32_t, 25600>;
  static_assert(sizeof(bytes_24) == 24 && sizeof(bytes_100k) == 102400);
  using by = std::conditional_t<reduced, list<tutti::automatic, tutti::ring>,
                                list<tutti::automatic, tutti::ring, tutti::tree, tutti::pairwise>>;
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        wide_elements_by<bytes_100k>(comm, by{}, {1, 2});
        wide_elements_by<bytes_24>(comm, by{}, {1, 2731, 7000});  // 64 KiB hold 2730.7 of them
      },
      5);
  in_world<Transport>(8, [](typename Transport::communicator& comm) {
    if constexpr (Transport::communicator::load_store) {
      std::vector<bytes_100k> one(1);  // a stage has no room for those of eight ranks
      expect_refusal(comm, "fit into shared memory",
                     [&] { tutti::all_reduce(comm, one, tutti::sum{}, tutti::direct{}); });
      expect_in_step(comm, "a refused all_reduce of wide elements");
    }
  });
}

/// Case 30 (pytorch#41362): the bitwise operators are themselves, not sum. Each rank has a bit of its own.
template <class Transport>
void own_bits() {
  namespace on = tutti::collective;
  using communicator = typename Transport::communicator;
  in_every_world<Transport>([](communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    const auto ones = [](int ranks) { return ~(~std::uint32_t(0) << ranks); };
    const auto one = [&](auto op, const char* name, bool inverted) {
      using op_type = decltype(op);
      const auto turn = [inverted](std::uint32_t bits) { return inverted ? ~bits : bits; };
      const std::vector<std::uint32_t> own(50, turn(std::uint32_t(1) << me)), total(50, turn(ones(p)));
      using algorithms_here = std::conditional_t<reduced, list<tutti::automatic>, list<tutti::automatic, tutti::tree>>;
      with_each<on::all_reduce, communicator, std::uint32_t, op_type>(
          algorithms_here{}, [&](auto how, const auto& what) {
            guarded<std::uint32_t> out(50);
            tutti::all_reduce(comm, own, out.span(), op, how);
            expect_bits(comm, what + " with " + name, out, total);
          });
      guarded<std::uint32_t> shard(tutti::shard(50, p, me).count), upto(50);
      tutti::reduce_scatter(comm, own, shard.span(), op);
      expect_bits(comm, std::string("reduce_scatter with ") + name, shard,
                  std::vector<std::uint32_t>(shard.span().size(), turn(ones(p))));
      tutti::scan(comm, own, upto.span(), op);
      expect_bits(comm, std::string("scan with ") + name, upto, std::vector<std::uint32_t>(50, turn(ones(me + 1))));
    };
    one(tutti::bxor{}, "bxor", false);
    one(tutti::bor{}, "bor", false);
    one(tutti::band{}, "band", true);
    one(std::bit_xor<>{}, "std::bit_xor", false);
  });
}

/// mpich#7078: each run of a plan reads what the memory holds then. Boost.MPI's user_op: the operator that was given is
/// the one that folds, with its state, now and later.
template <class Transport>
void plans_and_state() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    const std::size_t count = 3 * std::size_t(p) + 2;
    struct weighted {
      std::int32_t shift;
      explicit weighted(std::int32_t by) : shift(by) {}  // no default constructor
      std::int32_t operator()(std::int32_t a, std::int32_t b) const { return a + b + shift; }
    };
    ints in(count), sum(count), spread(count), scanned(count), swapped(3 * std::size_t(p));
    auto steps = tutti::plan(comm, [&](auto& later) {
      tutti::all_reduce(later, in, sum, weighted(5));
      tutti::broadcast(later, spread, p - 1);
      tutti::scan(later, in, scanned, weighted(7));
      tutti::all_to_all(later, std::span<const std::int32_t>(in).first(3 * std::size_t(p)), swapped);
      tutti::all_reduce(later, sum, tutti::commutative(weighted(9)), tutti::ring{});
    });
    for (std::uint64_t run = 1; run <= 6; ++run) {
      std::ranges::copy(data_of(me, count, run), in.begin());  // the same memory
      std::ranges::copy(me == p - 1 ? data_of(me, count, run + 50) : ints(count, -1), spread.begin());
      if (run % 2 == 0) {
        steps.run();
      } else {
        steps.start();
        steps.wait();
      }
      const ints once = sum_of(p, count, run);
      ints twice(count), upto = sum_of(me + 1, count, run), parts;
      for (std::size_t i = 0; i < count; ++i) {
        twice[i] = (once[i] + 5 * (p - 1)) * p + 9 * (p - 1);
        upto[i] += 7 * me;
      }
      for (int rank = 0; rank < p; ++rank) {
        const ints theirs = data_of(rank, count, run);
        parts.insert(parts.end(), theirs.begin() + 3 * me, theirs.begin() + 3 * me + 3);
      }
      expect_bits(comm, "all_reduce twice, planned", sum, twice);
      expect_bits(comm, "broadcast, planned", spread, data_of(p - 1, count, run + 50));
      expect_bits(comm, "scan, planned", scanned, upto);
      expect_bits(comm, "all_to_all, planned", swapped, parts);
    }
    auto later = tutti::async::all_reduce(comm, data_of(me, count, 99), weighted(3));
    ints expected = sum_of(p, count, 99);
    for (auto& value : expected) value += 3 * (p - 1);
    expect_bits(comm, "a request's operator", later.get(), expected);
  });
}

}  // namespace conformance
