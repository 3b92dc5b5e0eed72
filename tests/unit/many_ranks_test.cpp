// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Case 11: numbers of ranks and bytes whose product no int can hold. Nothing is sent here: it is the arithmetic.
#include <tutti/engine/storage.hpp>
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <sys/mman.h>

namespace {

namespace on = tutti::collective;
using tutti::action;
using tutti::place;
using tutti::transfer;

constexpr int many = 70000;
constexpr std::size_t block_bytes = 64 * 1024;
constexpr std::size_t whole = many * block_bytes;  // 4.6 GB
static_assert(whole > std::size_t(1) << 32);

static_assert(tutti::shard(whole, many, many - 1) == tutti::range{whole - block_bytes, block_bytes});
static_assert(tutti::partition(whole + 1, many).first(many - 1) == whole + 1 - block_bytes);
static_assert(tutti::partition(whole, many).span(1, many - 1) == tutti::range{block_bytes, whole - block_bytes});
static_assert(tutti::partition(~std::size_t(0), many).largest() == ~std::size_t(0) / many + 1);

// The mailboxes of every pair: beyond any memory, but not beyond size_t.
constexpr tutti::detail::group_layout layout(many, 4096);
static_assert(layout.bytes() / many / many > 2 * 4 * tutti::detail::group_layout::letter_bytes - 1);
static_assert(layout.letters_begin > layout.stages && layout.end > layout.letters_begin);

/// Addresses without memory behind them.
class reserved {
 public:
  explicit reserved(std::size_t bytes)
      : bytes_(bytes), base_(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    REQUIRE(base_ != MAP_FAILED);
  }
  ~reserved() { munmap(base_, bytes_); }
  reserved(const reserved&) = delete;
  reserved& operator=(const reserved&) = delete;
  std::uint8_t* base() const { return static_cast<std::uint8_t*>(base_); }

 private:
  std::size_t bytes_;
  void* base_;
};

bool same(tutti::block_range a, tutti::block_range b) { return a.first == b.first && a.count == b.count; }

/// Transfers looked at since the last schedule began: where a rank has 69 999 in a round, a few samples are enough.
std::size_t effort = 0;
constexpr std::size_t enough = 1000 * 1000;

/// How often a rank has the other end of a transfer in this round.
template <class Schedule>
int other_ends(const transfer& step, place here, int round) {
  const place there{step.peer, here.size, here.root};
  const int transfers = Schedule::transfers(there, round);
  effort += std::size_t(transfers);
  int found = 0;
  for (int index = 0; index < transfers; ++index) {
    const transfer other = Schedule::at(there, round, index);
    found += other.peer == here.rank && (other.what == action::send) != (step.what == action::send) &&
             same(other.where, step.where) && other.travels == step.travels;
  }
  return found;
}

/// The first round from this one on in which the rank has anything to do.
template <class Schedule>
int busy_round(place here, int from, int rounds) {
  for (int turn = 0; turn < rounds; ++turn) {
    const int round = (from + turn) % rounds;
    ++effort;
    for (int index = 0; index < Schedule::transfers(here, round); ++index)
      if (Schedule::at(here, round, index).where.count != 0) return round;
  }
  return from;
}

/// Some transfers of some ranks in some rounds: both ends know of them, and all blocks are there.
template <class Algorithm, class Collective>
int look_at() {
  if constexpr (requires { Algorithm::schedule(Collective{}); }) {
    using schedule = decltype(Algorithm::schedule(Collective{}));
    INFO(std::string(Algorithm::name), " ", std::string(Collective::name));
    const int root = Collective::rooted ? many - 2 : 0;
    const int rounds = schedule::rounds(many, root), blocks = schedule::blocks(many);
    const tutti::cost claimed = Algorithm::costs(Collective{}, many, root);
    CHECK(claimed.rounds == rounds);
    CHECK(claimed.sent_blocks > 0);
    CHECK(blocks > 0);
    CHECK(blocks <= 2 * many);
    std::mt19937 random(11);
    int seen = 0, wrong = 0;
    effort = 0;
    for (int sample = 0; sample < 60 && (sample < 6 || effort < enough); ++sample) {
      const int rank = sample % 6 == 0 ? root : sample % 6 == 1 ? many - 1 : int(random() % many);
      const place here{rank, many, root};
      const int round = busy_round<schedule>(here, sample < rounds ? sample : int(random() % unsigned(rounds)), rounds);
      const int transfers = schedule::transfers(here, round);
      wrong += transfers < 0;
      for (int some = 0; some < 8 && some < transfers; ++some) {
        const transfer step = schedule::at(here, round, transfers <= 8 ? some : int(random() % unsigned(transfers)));
        if (step.where.count == 0) continue;
        ++seen;
        const bool sane = step.peer >= 0 && step.peer < many && step.where.first >= 0 && step.where.count > 0 &&
                          step.where.end() <= blocks;
        wrong += !sane || (step.peer != rank && other_ends<schedule>(step, here, round) != 1);
      }
    }
    CHECK(seen > 0);
    CHECK(wrong == 0);
    return 1;
  } else {
    return 0;
  }
}

template <class... Collectives>
struct each_of {
  template <class Algorithm>
  static int look() {
    return (look_at<Algorithm, Collectives>() + ...);
  }
};
using every_collective = each_of<on::all_reduce, on::reduce, on::broadcast, on::reduce_scatter, on::all_gather,
                                 on::gather, on::scatter, on::all_to_all, on::scan, on::exclusive_scan>;

}  // namespace

TEST_CASE("case 11, 70 000 ranks with 64 KiB each: where a block lies") {
  const reserved in(whole), out(whole);
  tutti::detail::operands<std::uint8_t> given;
  given.input = in.base();
  given.result = out.base();
  given.count = whole;
  const place here{many - 1, many, 0};
  const tutti::detail::storage<std::uint8_t, std::uint8_t> where(std::move(given), here, many);
  CHECK(where.largest() == block_bytes);
  for (const int block : {0, 1, 32767, 32768, 65535, 65536, many - 1}) {
    const std::size_t before = std::size_t(block) * block_bytes;
    CHECK(where.count(block, true) == block_bytes);
    CHECK(where.read(tutti::form::input, block, block_bytes - 1) == in.base() + before + block_bytes - 1);
    CHECK(where.write(tutti::form::final, block, 5) == out.base() + before + 5);
  }
  CHECK(where.count_of({1, many - 1}) == whole - block_bytes);
}

TEST_CASE("case 11, 70 000 ranks: every algorithm's costs, rounds, peers and blocks") {
  int schedules = 0;
  tutti::every_algorithm::for_each([&schedules](auto one) {
    if constexpr (tutti::algorithm<decltype(one)>) schedules += every_collective::look<decltype(one)>();
  });
  CHECK(schedules > 30);
}

TEST_CASE("case 11, more ranks than a region holds: an error that says so; else memory for groups, too") {
  const auto region = tutti::detail::region::anonymous(std::size_t(64) << 30);
  try {
    tutti::detail::shared_world(region, 200).create(0);
    FAIL_CHECK("200 ranks need more than 64 GiB of addresses");
  } catch (const tutti::error& refused) {
    CHECK(refused.code() == tutti::errc::resource);
    CHECK(std::string(refused.what()).find("a world of 200 ranks needs") != std::string::npos);
  }
  CHECK(tutti::threads::detail::capacity(2) == std::size_t(64) << 30);
  for (const int ranks : {2, 100, 200, 300, 1000}) {
    const auto world = tutti::detail::shared_world::bytes(ranks);
    CHECK(tutti::threads::detail::capacity(ranks) >= world + 2 * world);
  }
}
