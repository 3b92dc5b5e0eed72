// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pushing between ranks, engine/device/push.hpp, the very code that runs in kernels, by threads of the host: what its
// memory accesses must not do, ThreadSanitizer sees here.
#include <tutti/algorithm/direct.hpp>
#include <tutti/algorithm/one_phase.hpp>
#include <tutti/core/clock.hpp>
#include <tutti/engine/device/push.hpp>
#include <tutti/engine/device/push_plan.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/op/arithmetic.hpp>
#include <tutti/op/location.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/schedule/collective.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include <sched.h>

namespace {

using namespace tutti::detail;
using tutti::place;

/// A pack of the host: its last word is written last and read first.
struct thread_access {
  void store(pack* to, const pack& what) const {
    for (int i = 0; i < 3; ++i) std::atomic_ref(to->word[i]).store(what.word[i], std::memory_order_relaxed);
    std::atomic_ref(to->word[3]).store(what.word[3], std::memory_order_release);
  }
  pack load(const pack* from) const {
    auto* at = const_cast<pack*>(from);  // atomic_ref wants it
    pack what;
    what.word[3] = std::atomic_ref(at->word[3]).load(std::memory_order_acquire);
    for (int i = 0; i < 3; ++i) what.word[i] = std::atomic_ref(at->word[i]).load(std::memory_order_relaxed);
    return what;
  }
  void give_receipt(std::uint32_t& receipt, std::uint32_t epoch) const {
    std::atomic_ref(receipt).store(epoch, std::memory_order_release);
  }
  std::uint32_t receipt(const std::uint32_t& receipt) const { return read(receipt, std::memory_order_acquire); }
  bool stopped(const std::uint32_t& stop) const {
    sched_yield();  // who is waited for may need the processor
    return read(stop, std::memory_order_relaxed) != 0;
  }
  bool ordered(const std::uint32_t& stop) const { return read(stop, std::memory_order_relaxed) != 0; }
  bool stops_first(std::uint32_t& stop) const { return std::atomic_ref(stop).exchange(1) == 0; }
  void tell(std::uint32_t& state, std::uint32_t value) const {
    std::atomic_ref(state).store(value, std::memory_order_release);
  }
  std::int64_t now() const { return now_ns(); }

 private:
  static std::uint32_t read(const std::uint32_t& from, std::memory_order order) {
    return std::atomic_ref(const_cast<std::uint32_t&>(from)).load(order);
  }
};

/// The memory of all ranks.
struct node {
  static constexpr std::size_t row = 40;
  struct rank_memory {
    std::vector<pack> packs;
    push_control control;
    push_report report;
  };
  std::vector<rank_memory> ranks;
  push_orders orders;

  explicit node(int size) : ranks(std::size_t(size)) {
    for (auto& one : ranks)
      one.packs.assign(push_region::packs(size, row), {{empty_word, empty_word, empty_word, empty_word}});
  }
  push_region region(int rank) {
    push_region made;
    made.rank = rank;
    made.ranks = int(ranks.size());
    made.row = row;
    for (std::size_t peer = 0; peer < ranks.size(); ++peer) made.of[peer] = ranks[peer].packs.data();
    made.control = &ranks[std::size_t(rank)].control;
    made.report = &ranks[std::size_t(rank)].report;
    made.orders = &orders;
    return made;
  }
};

/// What a kernel does, in as many threads: the first greets, the others work, all together finish.
template <bool Folds, bool Hands_on, int Most, class Reduction>
void run_threads(const push_call<typename Reduction::element>& call, const Reduction& op, int workers) {
  const push_task<typename Reduction::element, Most> task(call);
  using worker = push_worker<thread_access, Reduction, Most, Folds, Hands_on>;
  const thread_access memory;
  const std::uint32_t epoch = call.where.control->epoch;
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i)
    threads.emplace_back([&, i] { worker(memory, task, op, epoch).work(std::uint32_t(i), std::uint32_t(workers)); });
  worker greeter(memory, task, op, epoch);
  for (int k = 1; k < call.where.ranks; ++k) threads.emplace_back([&, k] { worker(memory, task, op, epoch).greet(k); });
  for (auto& one : threads) one.join();
  greeter.finish();
}

template <bool Folds, bool Hands_on, class Reduction>
void run_call(const push_call<typename Reduction::element>& call, const Reduction& op, int workers) {
  if (call.where.ranks <= 4)
    run_threads<Folds, Hands_on, 4>(call, op, workers);
  else
    run_threads<Folds, Hands_on, most_peers>(call, op, workers);
}

/// One rank's part of a collective.
template <class Algorithm, class Collective, class Reduction>
void run_rank(node& all, place here, operands<typename Reduction::element>&& given, const Reduction& op, int workers,
              std::uint64_t print = 7, double seconds = 60) {
  using element = typename Reduction::element;
  using memory = storage<element, typename Reduction::accumulator>;
  static constexpr tutti::shared_plan plan = Algorithm::shared(Collective{});
  using plan_type = push_plan<Collective, plan, element, memory>;
  memory where(std::move(given), here, here.size);
  const bool fits = for_each_push<Collective, plan, element>(
      where, here, all.region(here.rank), [&](push_call<element>& call, bool spreads) {
        call.print = std::uint32_t(print);
        call.patience = std::int64_t(seconds * 1e9);
        if constexpr (plan_type::reduces) {
          run_call<true, plan_type::hands_on>(call, op, workers);
        } else {
          const auto move = [&](const auto& words) {
            using word = std::remove_cvref_t<decltype(*words.give[0])>;
            spreads ? run_call<false, true>(words, no_reduction<word>{}, workers)
                    : run_call<false, false>(words, no_reduction<word>{}, workers);
          };
          multiple_of(4, call) ? move(as_words<std::uint32_t>(call)) : move(as_words<std::uint8_t>(call));
        }
      });
  CHECK(fits);
}

template <class Body>
void on_all_ranks(int size, Body body) {
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.emplace_back([&, rank] { body(rank); });
  for (auto& one : ranks) one.join();
}

/// x -> scale * x + shift, one after the other: the order of folding is all that matters.
struct affine {
  std::uint32_t scale, shift;
};
struct then_apply {
  affine operator()(const affine& first, const affine& second) const {
    return {first.scale * second.scale, second.scale * first.shift + second.shift};
  }
};

template <class Element>
Element value_of(int rank, std::size_t index, unsigned call) {
  const unsigned bits = unsigned(index) * 2654435761u + unsigned(rank) * 40503u + call * 97u;
  if constexpr (std::is_same_v<Element, affine>)
    return {bits | 1u, bits >> 7};
  else if constexpr (requires { Element{}.index; })
    return {float(bits >> 28), rank};
  else
    return Element(float(bits >> 28));
}
template <class Op, class Element>
Element fold_of(const Op& op, int size, std::size_t index, unsigned call) {
  const tutti::reduction<Op, Element> bound{op};
  auto total = bound.lift(value_of<Element>(0, index, call));
  for (int rank = 1; rank < size; ++rank)
    total = bound.combine(total, bound.lift(value_of<Element>(rank, index, call)));
  return bound.lower(total, size);
}

/// all_reduce again and again, in place and not, of lengths below, at and above what fits into one call.
template <class Algorithm, class Op, class Element>
void reduce_repeatedly(int size, int workers) {
  node all(size);
  on_all_ranks(size, [&](int rank) {
    for (unsigned call = 0; call < 24; ++call) {
      const std::size_t counts[] = {1, 2, 3, 5, 13, 64, 119, 120, 121, 500};
      const std::size_t count = counts[call % 10];
      std::vector<Element> in(count), out(count);
      for (std::size_t i = 0; i < count; ++i) in[i] = value_of<Element>(rank, i, call);
      const bool in_place = call % 3 == 0;
      operands<Element> given;
      given.input = in.data();
      given.result = in_place ? in.data() : out.data();
      given.count = count;
      given.in_place = in_place;
      given.whole_result = true;
      run_rank<Algorithm, tutti::collective::all_reduce>(all, {rank, size, 0}, std::move(given),
                                                         tutti::reduction<Op, Element>{}, workers);
      const auto& result = in_place ? in : out;
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Element expected = fold_of<Op, Element>(Op{}, size, i, call);
        wrong += std::memcmp(&result[i], &expected, sizeof expected) == 0 ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  });
}

}  // namespace

TEST_CASE("units: elements come out of packs as they went in") {
  struct three {
    std::uint8_t bytes[3];
  };
  struct twenty {
    std::int32_t words[5];
  };
  CHECK(packing<float>::elements == 4);
  CHECK(packing<double>::elements == 2);
  CHECK(packing<tutti::bfloat16>::elements == 8);
  CHECK(packing<std::int32_t>::elements == 3);
  CHECK(packing<std::int64_t>::elements == 3);
  CHECK(packing<std::int64_t>::packs == 2);
  CHECK(packing<three>::elements == 4);
  CHECK(packing<twenty>::elements == 3);
  CHECK(packing<twenty>::packs == 5);

  float nan[4] = {1, 2, 3, __builtin_bit_cast(float, empty_word)};
  pack one[1];
  packing<float>::put(nan, one);
  CHECK(one[0].word[3] != empty_word);
  packing<float>::get(one, nan);
  CHECK(nan[2] == 3);
  CHECK(nan[3] != nan[3]);

  const std::int32_t lowest = std::int32_t(empty_word);
  const std::int32_t ints[3] = {lowest, lowest, lowest};
  pack other[1];
  packing<std::int32_t>::put(ints, other);
  CHECK(other[0].word[3] != empty_word);
  std::int32_t back[3] = {};
  packing<std::int32_t>::get(other, back);
  CHECK(back[2] == lowest);
}

TEST_CASE("pushes fold in rank order on any number of ranks, call after call") {
  for (const int size : {2, 3, 4, 5, 8})
    for (const int workers : {1, 3}) {
      if (size > 4 && workers > 1) continue;
      CAPTURE(size);
      reduce_repeatedly<tutti::one_phase, tutti::sum, float>(size, workers);
      reduce_repeatedly<tutti::direct, tutti::sum, float>(size, workers);
      reduce_repeatedly<tutti::direct, tutti::max_loc, tutti::located<float>>(size, workers);
    }
  reduce_repeatedly<tutti::one_phase, then_apply, affine>(4, 2);
  reduce_repeatedly<tutti::direct, then_apply, affine>(5, 1);
  reduce_repeatedly<tutti::one_phase, tutti::avg, tutti::bfloat16>(3, 2);
  reduce_repeatedly<tutti::direct, tutti::sum, std::int64_t>(3, 2);
  reduce_repeatedly<tutti::direct, tutti::avg, std::uint8_t>(4, 2);
}

TEST_CASE("one-sided calls don't run ahead of who reads them") {
  constexpr int size = 3;
  node all(size);
  on_all_ranks(size, [&](int rank) {
    for (unsigned call = 0; call < 60; ++call) {
      const int root = int(call % 3 == 0 ? call / 3 % size : 0);
      const std::size_t count = 1 + call * 7 % 200;
      std::vector<std::uint8_t> data(count + 1, 0);
      if (rank == root)
        for (std::size_t i = 0; i < count; ++i) data[i] = value_of<std::uint8_t>(root, i, call);
      operands<std::uint8_t> given;
      given.input = given.result = data.data();
      given.count = count;
      given.root = root;
      given.in_place = given.whole_result = true;
      if (rank == 1 && call % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      run_rank<tutti::direct, tutti::collective::broadcast>(all, {rank, size, root}, std::move(given),
                                                            no_reduction<std::uint8_t>{}, 1);
      std::size_t wrong = data[count] == 0 ? 0 : 1;
      for (std::size_t i = 0; i < count; ++i) wrong += data[i] == value_of<std::uint8_t>(root, i, call) ? 0 : 1;
      CHECK(wrong == 0);
    }
  });
}

namespace {

/// A call on `size` ranks whose vectors have `count` elements; check(rank, results).
template <class Algorithm, class Collective, class Reduction, class Check>
void call_once(int size, int root, std::size_t count, const Reduction& op, bool relative, Check check) {
  using element = typename Reduction::element;
  node all(size);
  on_all_ranks(size, [&](int rank) {
    std::vector<element> in(count), out(count, element(99));
    for (std::size_t i = 0; i < count; ++i) in[i] = value_of<element>(rank, i, 5);
    const auto mine = tutti::shard(count, size, rank);
    operands<element> given;
    given.count = count;
    given.root = root;
    given.input = in.data();
    given.result = out.data();
    given.relative = relative;
    if (std::is_same_v<Collective, tutti::collective::reduce> && rank != root) given.result = nullptr;
    if (std::is_same_v<Collective, tutti::collective::reduce_scatter>) given.result_first = mine.first;
    if (std::is_same_v<Collective, tutti::collective::all_gather>) {
      given.input_first = mine.first;
      given.whole_result = true;
    }
    run_rank<Algorithm, Collective>(all, {rank, size, root}, std::move(given), op, 2);
    check(rank, out);
  });
}

}  // namespace

TEST_CASE("every plan gives each rank what it is owed, and nothing else") {
  namespace c = tutti::collective;
  const tutti::reduction<tutti::sum, float> sum{};
  const no_reduction<float> none{};
  constexpr float poison = 99;
  for (const int size : {2, 3, 5})
    for (const std::size_t count : {std::size_t(1), std::size_t(7), std::size_t(600)}) {
      CAPTURE(size);
      CAPTURE(count);
      const auto folded = [&](std::size_t i) { return fold_of<tutti::sum, float>(tutti::sum{}, size, i, 5); };
      const auto count_wrong = [&](const std::vector<float>& out, const auto& expected) {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < out.size(); ++i) wrong += out[i] == expected(i) ? 0 : 1;
        return wrong;
      };
      for (int root = 0; root < size; ++root) {
        const auto at_root = [&](int rank, const std::vector<float>& out) {
          CHECK(count_wrong(out, [&](std::size_t i) { return rank == root ? folded(i) : poison; }) == 0);
        };
        call_once<tutti::one_phase, c::reduce>(size, root, count, sum, false, at_root);
        call_once<tutti::direct, c::reduce>(size, root, count, sum, false, at_root);
      }
      call_once<tutti::direct, c::reduce_scatter>(
          size, 0, count, sum, false, [&](int rank, const std::vector<float>& out) {
            const auto mine = tutti::shard(count, size, rank);
            CHECK(count_wrong(out, [&](std::size_t i) { return i < mine.count ? folded(mine.first + i) : poison; }) ==
                  0);
          });
      call_once<tutti::direct, c::all_gather>(size, 0, count, none, false, [&](int, const std::vector<float>& out) {
        CHECK(count_wrong(out, [&](std::size_t i) {
                int owner = 0;
                while (i >= tutti::shard(count, size, owner).end()) ++owner;
                return value_of<float>(owner, i - tutti::shard(count, size, owner).first, 5);
              }) == 0);
      });
      call_once<tutti::one_phase, c::scan>(size, 0, count, sum, false, [&](int rank, const std::vector<float>& out) {
        CHECK(count_wrong(
                  out, [&](std::size_t i) { return fold_of<tutti::sum, float>(tutti::sum{}, rank + 1, i, 5); }) == 0);
      });
      call_once<tutti::one_phase, c::exclusive_scan>(
          size, 0, count, sum, false, [&](int rank, const std::vector<float>& out) {
            CHECK(count_wrong(out, [&](std::size_t i) {
                    return rank == 0 ? poison : fold_of<tutti::sum, float>(tutti::sum{}, rank, i, 5);
                  }) == 0);
          });
      const std::size_t part = count, whole = part * std::size_t(size);
      call_once<tutti::direct, c::all_to_all>(size, 0, whole, none, true, [&](int rank, const std::vector<float>& out) {
        CHECK(count_wrong(out, [&](std::size_t i) {
                return value_of<float>(int(i / part), std::size_t(rank) * part + i % part, 5);
              }) == 0);
      });
    }
}

TEST_CASE("a long broadcast is handed on") {
  constexpr int size = 4;
  node all(size);
  const std::size_t count = 300001;
  on_all_ranks(size, [&](int rank) {
    std::vector<std::uint8_t> data(count, 0);
    if (rank == 2)
      for (std::size_t i = 0; i < count; ++i) data[i] = value_of<std::uint8_t>(2, i, 1);
    operands<std::uint8_t> given;
    given.input = given.result = data.data();
    given.count = count;
    given.root = 2;
    given.in_place = given.whole_result = true;
    all.ranks[std::size_t(rank)].control.epoch = 4294967295u - 30;  // the count of calls goes round
    run_rank<tutti::direct, tutti::collective::broadcast>(all, {rank, size, 2}, std::move(given),
                                                          no_reduction<std::uint8_t>{}, 1);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += data[i] == value_of<std::uint8_t>(2, i, 1) ? 0 : 1;
    CHECK(wrong == 0);
    CHECK(all.ranks[std::size_t(rank)].control.epoch < 1000000);
  });
}

TEST_CASE("ranks that call different things hear of it, and nobody waits for ever") {
  node all(2);
  on_all_ranks(2, [&](int rank) {
    const std::size_t count = rank == 0 ? 8 : 64;
    std::vector<float> data(count, 1);
    operands<float> given;
    given.input = given.result = data.data();
    given.count = count;
    given.in_place = given.whole_result = true;
    run_rank<tutti::one_phase, tutti::collective::all_reduce>(all, {rank, 2, 0}, std::move(given),
                                                              tutti::reduction<tutti::sum, float>{}, 2);
    const push_report& report = all.ranks[std::size_t(rank)].report;
    CHECK(report.state == push_report::other_length);
    CHECK(report.peer == std::uint32_t(1 - rank));
    CHECK(report.bytes == count * 4);
    CHECK(report.peers_bytes == (rank == 0 ? 256u : 32u));
  });
}

TEST_CASE("a rank that doesn't come is named") {
  node all(3);
  on_all_ranks(3, [&](int rank) {
    if (rank == 1) return;
    std::vector<float> data(8, 1);
    operands<float> given;
    given.input = given.result = data.data();
    given.count = data.size();
    given.in_place = given.whole_result = true;
    run_rank<tutti::one_phase, tutti::collective::all_reduce>(all, {rank, 3, 0}, std::move(given),
                                                              tutti::reduction<tutti::sum, float>{}, 1, 7, 0.2);
    const push_report& report = all.ranks[std::size_t(rank)].report;
    CHECK(report.state == push_report::silent_peer);
    CHECK(report.peer == 1);
  });
}
