// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that are handed to MPI's own collectives, against results computed by hand.
#include "conformance/witness.hpp"
#include "mpi/mpi_world.hpp"

#include <tutti/async.hpp>
#include <tutti/plan.hpp>

#include <climits>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using conformance::mpi;
using communicator = tutti::mpi::communicator;
constexpr tutti::native native;

void expect(bool holds, int line = __builtin_LINE()) {
  if (!holds) throw std::runtime_error("wrong in line " + std::to_string(line));
}

template <class Test>
void on_all(Test&& test) {
  for (int size = 1; size <= mpi::most(); ++size) mpi::launch(size, test);
}

template <class Element>
std::vector<Element> numbers(int rank, std::size_t count) {
  std::vector<Element> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<Element>(float((std::size_t(rank) * 7 + i * 3) % 11));
  return made;
}

/// x -> a x + b: composing them is associative, but the order matters. Numbers wrap.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose_op {
  static constexpr const char* name = "compose";
  affine operator()(const affine& first, const affine& then) const {
    return {then.a * first.a, then.a * first.b + then.b};
  }
};
affine step_of(int rank, std::size_t i) { return {std::uint32_t(2 * rank + 3), std::uint32_t(rank * 5 + int(i))}; }

template <class Element, class Op>
void folds(communicator& comm, Op op, std::size_t count) {
  const int size = comm.size(), rank = comm.rank();
  const tutti::reduction<Op, Element> fold{op};
  const auto folded = [&](std::size_t i, int ranks) {
    auto total = fold.lift(numbers<Element>(0, count)[i]);
    for (int r = 1; r < ranks; ++r) total = fold.combine(total, fold.lift(numbers<Element>(r, count)[i]));
    return fold.lower(total, ranks);
  };
  const auto mine = numbers<Element>(rank, count);
  std::vector<Element> out(count, Element(77));
  const auto check = [&](const std::vector<Element>& found, int ranks) {
    for (std::size_t i = 0; i < count; ++i) expect(found[i] == folded(i, ranks));
  };
  tutti::all_reduce(comm, mine, out, op, native);
  check(out, size);
  out = mine;
  tutti::all_reduce(comm, out, op, native);
  check(out, size);
  for (int root = 0; root < size; ++root) {
    out = mine;
    tutti::reduce(comm, out, op, root, native);
    if (rank == root)
      check(out, size);
    else
      expect(out == mine);
  }
  tutti::scan(comm, mine, out, op, native);
  check(out, rank + 1);
  out = mine;
  tutti::exclusive_scan(comm, out, op, native);
  if (rank == 0)
    expect(out == mine);
  else
    check(out, rank);
  const auto part = tutti::reduce_scatter(comm, mine, op, native);
  const auto where = tutti::shard(count, size, rank);
  expect(part.size() == where.count);
  for (std::size_t i = 0; i < part.size(); ++i) expect(part[i] == folded(where.first + i, size));
}

void moves(communicator& comm) {
  const int size = comm.size(), rank = comm.rank(), root = size - 1;
  const auto p = std::size_t(size);
  struct wide {
    std::int32_t rank, at;
    char rest[20];
  };
  for (const std::size_t count : {std::size_t(0), p * 5, p * 5 + 1, std::size_t(3)}) {
    const auto mine = tutti::shard(count, size, rank);
    std::vector<std::int64_t> part(mine.count), whole(count, -1);
    std::iota(part.begin(), part.end(), std::int64_t(mine.first));
    std::vector<std::int64_t> expected(count);
    std::iota(expected.begin(), expected.end(), std::int64_t(0));
    tutti::all_gather(comm, part, whole, native);
    expect(whole == expected);
    whole.assign(count, -1);
    std::copy(part.begin(), part.end(), whole.begin() + std::ptrdiff_t(mine.first));
    tutti::all_gather(comm, tutti::in_place(whole), native);
    expect(whole == expected);
    expect(tutti::gather(comm, part, root, native) == (rank == root ? expected : std::vector<std::int64_t>{}));
    std::vector<std::int64_t> got(mine.count);
    tutti::scatter(comm, rank == root ? expected : std::vector<std::int64_t>{}, got, root, native);
    expect(got == part);
  }
  std::vector<wide> all(7);
  for (int i = 0; i < 7; ++i)
    if (rank == root) all[std::size_t(i)] = {rank, i, {}};
  tutti::broadcast(comm, all, root, native);
  for (int i = 0; i < 7; ++i) expect(all[std::size_t(i)].rank == root && all[std::size_t(i)].at == i);

  std::vector<int> rows(p * 2), columns(p * 2);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rank * 100 + int(i);
  tutti::all_to_all(comm, rows, columns, native);
  for (std::size_t i = 0; i < rows.size(); ++i) expect(columns[i] == int(i / 2) * 100 + rank * 2 + int(i % 2));
}

/// Rank r gives r + 1 numbers; to rank d it sends r + d of them.
void moves_by_count(communicator& comm) {
  const int size = comm.size(), rank = comm.rank(), root = size / 2;
  const auto p = std::size_t(size);
  const std::vector<short> mine(std::size_t(rank) + 1, short(rank));
  std::vector<short> expected;
  for (int r = 0; r < size; ++r) expected.insert(expected.end(), std::size_t(r) + 1, short(r));
  expect(tutti::all_gather_v(comm, mine, native).elements == expected);
  const auto gathered = tutti::gather_v(comm, mine, root, native);
  expect(gathered.elements == (rank == root ? expected : std::vector<short>{}));
  std::vector<short> part(mine.size());
  tutti::scatter_v(comm, rank == root ? expected : std::vector<short>{}, part, root, native);
  expect(part == mine);
  std::vector<short> sums(mine.size());
  tutti::reduce_scatter_v(comm, expected, sums, tutti::sum{}, native);
  for (const short one : sums) expect(one == short(rank * size));

  std::vector<std::vector<short>> lists(p), parts(p);
  for (int r = 0; r < size; ++r) lists[std::size_t(r)].resize(std::size_t(r) + 1);
  tutti::all_gather(comm, mine, lists, native);
  for (int r = 0; r < size; ++r) expect(lists[std::size_t(r)] == std::vector<short>(std::size_t(r) + 1, short(r)));
  std::vector<short> own(mine.size());
  tutti::scatter(comm, lists, own, root, native);
  expect(own == mine);
  tutti::reduce_scatter(comm, lists, sums, tutti::sum{}, native);
  for (const short one : sums) expect(one == short(rank * size));

  std::vector<int> sent(p);
  std::vector<short> out;
  for (int d = 0; d < size; ++d) {
    sent[std::size_t(d)] = rank + d;
    out.insert(out.end(), std::size_t(rank + d), short(rank * 10 + d));
  }
  const auto exchanged = tutti::all_to_all_v(comm, out, sent, native);
  std::vector<short> hoped;
  for (int r = 0; r < size; ++r) {
    hoped.insert(hoped.end(), std::size_t(r + rank), short(r * 10 + rank));
    parts[std::size_t(r)].assign(std::size_t(rank + r), short(rank * 10 + r));
    lists[std::size_t(r)].assign(std::size_t(rank + r), short(-1));
  }
  expect(exchanged.elements == hoped);
  tutti::all_to_all(comm, parts, lists, native);
  for (int r = 0; r < size; ++r)
    expect(lists[std::size_t(r)] == std::vector<short>(std::size_t(r + rank), short(r * 10 + rank)));
}

void own_operators(communicator& comm) {
  const int size = comm.size(), rank = comm.rank();
  constexpr std::size_t count = 1000;
  // A lambda that remembers.
  const int modulus = 1000 + size;
  std::vector<int> ones(count, 700 + rank);
  tutti::all_reduce(
      comm, ones, [modulus](int a, int b) { return (a + b) % modulus; }, native);
  int expected = 700;
  for (int r = 1; r < size; ++r) expected = (expected + 700 + r) % modulus;
  expect(ones == std::vector<int>(count, expected));

  // In rank order.
  std::vector<affine> maps(count);
  for (std::size_t i = 0; i < count; ++i) maps[i] = step_of(rank, i);
  tutti::all_reduce(comm, maps, compose_op{}, native);
  for (std::size_t i = 0; i < count; ++i) {
    affine total = step_of(0, i);
    for (int r = 1; r < size; ++r) total = compose_op{}(total, step_of(r, i));
    expect(maps[i] == total);
  }

  // Where the largest is.
  std::vector<tutti::located<float>> best(count);
  for (std::size_t i = 0; i < count; ++i) best[i] = {float((rank * 3 + int(i)) % (2 * size)), rank};
  tutti::all_reduce(comm, best, tutti::max_loc{}, native);
  for (std::size_t i = 0; i < count; ++i) {
    tutti::located<float> top{-1, -1};
    for (int r = 0; r < size; ++r)
      if (const auto value = float((r * 3 + int(i)) % (2 * size)); value > top.value) top = {value, r};
    expect(best[i] == top);
  }

  // A NaN on any rank stays, and so does the alignment.
  std::vector<float> floats{float(rank), rank == size - 1 ? std::numeric_limits<float>::quiet_NaN() : 1.0f};
  tutti::all_reduce(comm, floats, tutti::max{}, native);
  expect(floats[0] == float(size - 1) && std::isnan(floats[1]));
  struct alignas(64) line {
    double value;
  };
  std::vector<line> lines(5, line{1.5});
  tutti::all_reduce(
      comm, lines, [](const line& a, const line& b) { return line{a.value + b.value}; }, native);
  for (const line& one : lines) expect(one.value == 1.5 * size);
}

}  // namespace

TEST_CASE("native: barrier") {
  conformance::witness come;
  on_all([&](communicator& comm) {
    const auto all_have_come = [&](int times) {
      bool all = true;
      for (int rank = 0; rank < comm.size(); ++rank) all = all && come[rank].load() >= times;
      return all;
    };
    auto meet = tutti::plan(comm, [&](auto& on) { tutti::barrier(on, native); });
    for (int turn = comm.size() * 10; turn < comm.size() * 10 + 6; turn += 2) {
      come[comm.rank()] = turn + 1;
      tutti::barrier(comm, native);
      expect(all_have_come(turn + 1));
      come[comm.rank()] = turn + 2;
      meet.run();
      expect(all_have_come(turn + 2));
      tutti::barrier(comm, native);
    }
  });
}

TEST_CASE("mpi: native folds") {
  on_all([](communicator& comm) {
    for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(257)}) {
      folds<float>(comm, tutti::sum{}, count);
      folds<double>(comm, tutti::max{}, count);
      folds<std::int8_t>(comm, tutti::sum{}, count);
      folds<std::uint64_t>(comm, tutti::min{}, count);
      folds<int>(comm, tutti::bxor{}, count);
      folds<int>(comm, tutti::land{}, count);
      folds<short>(comm, tutti::lxor{}, count);
      folds<int>(comm, tutti::avg{}, count);
      folds<float>(comm, tutti::avg{}, count);
      folds<tutti::float16>(comm, tutti::sum{}, count);
      folds<std::complex<double>>(comm, tutti::sum{}, count);
    }
  });
}
TEST_CASE("mpi: native moves") { on_all(moves); }
TEST_CASE("mpi: native moves by count") { on_all(moves_by_count); }
TEST_CASE("mpi: native with a program's own operators") { on_all(own_operators); }

TEST_CASE("mpi: native beside others, as a request and in a plan") {
  on_all([](communicator& comm) {
    std::vector<int> one(9, comm.rank()), other(9, 1), third(9, 2);
    const int total = comm.size() * (comm.size() - 1) / 2;
    auto first = tutti::async::all_reduce(comm, std::span(one), tutti::sum{}, native);
    auto second = tutti::async::all_reduce(comm, std::span(other), tutti::sum{}, tutti::ring{});
    tutti::all_reduce(comm, third, tutti::sum{}, native);
    first.wait();
    second.wait();
    expect(one == std::vector<int>(9, total) && other == std::vector<int>(9, comm.size()) &&
           third == std::vector<int>(9, 2 * comm.size()));
    auto prepared = tutti::plan(comm, [&](auto& book) {
      tutti::all_reduce(book, one, tutti::sum{}, native);
      tutti::broadcast(book, other, 0);
    });
    one.assign(9, 1);
    prepared.run();
    prepared.run();
    expect(one == std::vector<int>(9, comm.size() * comm.size()));
  });
}

TEST_CASE("mpi: native says what MPI can't count, and passes on what an operator throws") {
  on_all([](communicator& comm) {
    if (comm.size() == 1) return;
    char byte = 0;
    const std::span<char> many(&byte, std::size_t(INT_MAX) + 1);  // never read
    std::string said;
    try {
      tutti::all_reduce(comm, many, tutti::sum{}, native);
    } catch (const tutti::error& thrown) {
      said = thrown.what();
    }
    expect(said.find("native takes at most 2147483647 elements") != std::string::npos);
  });
  std::string said;
  try {
    mpi::launch(mpi::most(), [](communicator& comm) {
      std::vector<int> data(3, 1);
      tutti::all_reduce(
          comm, data, [](int, int) -> int { throw std::runtime_error("no such sum"); }, native);
    });
  } catch (const tutti::error& thrown) {
    said = thrown.what();
  }
  if (mpi::most() > 1) CHECK(said.find("no such sum") != std::string::npos);
}

static_assert(tutti::supports<communicator, tutti::native, tutti::collective::scan, int, tutti::sum>);
static_assert(!tutti::supports<tutti::threads::communicator, tutti::native, tutti::collective::scan, int, tutti::sum>);
