// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the executor waits for, on schedules that need it: those of tutti's own algorithms are so connected that a
// missing wait would hardly ever show.
#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

namespace on = tutti::collective;
using tutti::form;
using tutti::place;
using tutti::transfer;

/// Rank 0 gives its data to rank 1, then takes the data of rank 2 in their place. Nothing tells rank 2 whether the
/// first has happened: rank 0's own order must.
struct pass_on {
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 2; }
  static constexpr int transfers(place, int) { return 1; }
  static constexpr transfer at(place here, int round, int) {
    if (round == 0 && here.rank == 0) return tutti::send(1, {0}, form::final);
    if (round == 0 && here.rank == 1) return tutti::store(0, {0}, form::final);
    if (round == 1 && here.rank == 2) return tutti::send(0, {0}, form::final);
    if (round == 1 && here.rank == 0) return tutti::store(2, {0}, form::final);
    return tutti::nothing();
  }
};
/// The same in one round, which says that the arrival overwrites what is sent.
struct pass_on_at_once {
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(place, int) { return 2; }
  static constexpr transfer at(place here, int, int index) {
    if (index == 0) return pass_on::at(here, here.rank == 2 ? 1 : 0, 0);
    return here.rank == 0 ? pass_on::at(here, 1, 0).once_sent() : tutti::nothing();
  }
};
/// Rank 0's data go to rank 1 and from there to rank 2: a send of what must have come before.
struct hand_through {
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 2; }
  static constexpr int transfers(place, int) { return 1; }
  static constexpr transfer at(place here, int round, int) {
    if (round == here.rank) return tutti::send(here.rank + 1, {0}, form::final);
    return round == here.rank - 1 ? tutti::store(here.rank - 1, {0}, form::final) : tutti::nothing();
  }
};

template <class Schedule>
struct moving {
  static constexpr const char* name = "moving";
  static constexpr bool rank_order = true;
  static constexpr Schedule schedule(on::broadcast) { return {}; }
};

/// Runs it with the rank `late` coming late; expected[r] is whose data rank r must have in the end.
template <class Schedule, class Chunking>
void expect_moves(int late, const int (&expected)[3]) {
  std::string failure;
  try {
    tutti::threads::launch(3, [&](tutti::threads::communicator& comm) {
      std::vector<int> data(20000);
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = comm.rank() * 1000000 + int(i);
      if (comm.rank() == late) usleep(30000);  // long enough for the others' mailboxes to fill
      tutti::broadcast<moving<Schedule>, Chunking>(comm, data);
      for (std::size_t i = 0; i < data.size(); ++i)
        if (data[i] != expected[comm.rank()] * 1000000 + int(i))
          throw std::runtime_error("rank " + std::to_string(comm.rank()) + ", element " + std::to_string(i) + ": " +
                                   std::to_string(data[i]));
    });
  } catch (const std::exception& error) {
    failure = error.what();
  }
  CHECK(failure == "");
}

template <class Schedule>
void expect_moves_in_chunks(const int (&expected)[3]) {
  for (int late = -1; late < 3; ++late) {
    expect_moves<Schedule, tutti::chunked<256>>(late, expected);
    expect_moves<Schedule, tutti::chunked<8192>>(late, expected);
    expect_moves<Schedule, tutti::whole>(late, expected);
  }
}

}  // namespace

TEST_CASE("an arrival waits for the sends of earlier rounds that it overwrites") {
  expect_moves_in_chunks<pass_on>({2, 0, 2});
}
TEST_CASE("an arrival that overwrites what its own round sends waits for that") {
  expect_moves_in_chunks<pass_on_at_once>({2, 0, 2});
}
TEST_CASE("a send waits for the arrivals that it passes on") { expect_moves_in_chunks<hand_through>({0, 0, 0}); }

TEST_CASE("in place, more ranks than fold at once: nobody's own elements are overwritten before they are folded") {
  constexpr int ranks = tutti::detail::most_ranks_at_once + 3;
  for (const std::size_t count : {std::size_t(2), std::size_t(5), std::size_t(600)}) {
    std::vector<int> wrong(ranks);
    tutti::threads::launch(ranks, [&](tutti::threads::communicator& comm) {
      std::vector<int> data(count, comm.rank() + 1), scanned = data;
      tutti::all_reduce<tutti::one_phase>(comm, data, tutti::sum{});
      tutti::scan(comm, scanned, tutti::sum{});
      const auto at = std::size_t(comm.rank());
      for (std::size_t i = 0; i < count; ++i)
        wrong[at] += (data[i] != ranks * (ranks + 1) / 2) + (scanned[i] != (comm.rank() + 1) * (comm.rank() + 2) / 2);
    });
    for (const int found : wrong) CHECK(found == 0);
  }
}
