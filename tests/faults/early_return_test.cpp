// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank that returns while the others still wait for it, and a thread that throws: the others throw peer_failed.
#include "faults.hpp"

#include <stdexcept>

using namespace faults;

namespace {

/// Rank `leaver` returns after three calls, the others want ten.
template <class Transport, class Call>
void expect_left(int size, int leaver, const char* collective, Call call) {
  watchdog dog;
  board notes;
  const outcome result = run<Transport>(notes, size, [&](auto& comm) {
    for (int i = 0; i < (comm.rank() == leaver ? 3 : 10); ++i) call(comm);
  });
  const std::string has_left = "rank " + std::to_string(leaver) + " has left before operation ";
  CAPTURE(result.text);
  REQUIRE(result.threw);
  CHECK(result.code == tutti::errc::peer_failed);
  CHECK(result.rank == leaver);
  CHECK(result.says(has_left));
  CHECK(result.says(collective));
  CHECK(result.seconds < 2);
  for (int rank = 0; rank < size; ++rank) {
    CAPTURE(rank);
    const note& one = notes[rank];
    CAPTURE(one.text);
    if (rank == leaver) {
      CHECK(one.finished == 1);
      continue;
    }
    CHECK(one.threw == 1);
    CHECK(one.code == tutti::errc::peer_failed);
    CHECK(one.about == leaver);
    CHECK(contains(one.text, has_left));
    CHECK(contains(one.text, collective));
    CHECK(contains(one.text, "on rank " + std::to_string(rank)));
  }
}

template <class Algorithm>
constexpr auto all_reduce_with = [](auto& comm) {
  std::vector<double> data(3000, 1.0);
  tutti::all_reduce<Algorithm>(comm, data, tutti::sum{});
};

/// Between two looks of a rank that waits its peer fails and leaves.
struct late_trouble final : tutti::detail::onlooker {
  explicit late_trouble(const tutti::detail::shared_world& where) : world(where) {}
  void look(const char*, int) override {
    world.record_failure(tutti::errc::resource, 1, "its disk is full");
    world.set_state(1, tutti::detail::rank_state::left);
  }
  const tutti::detail::shared_world& world;
};

}  // namespace

TEST_CASE_TEMPLATE("a rank returns early from reductions", Transport, on_threads, on_shm) {
  for (const int size : {2, 4, 8}) {
    CAPTURE(size);
    expect_left<Transport>(size, 1, "all_reduce", all_reduce_with<tutti::ring>);
    expect_left<Transport>(size, 0, "all_reduce", all_reduce_with<tutti::tree>);
    expect_left<Transport>(size, size - 1, "all_reduce", all_reduce_with<tutti::direct>);
    expect_left<Transport>(size, size / 2, "all_reduce", all_reduce_with<tutti::one_phase>);
  }
}
TEST_CASE_TEMPLATE("a rank returns early from barriers", Transport, on_threads, on_shm) {
  expect_left<Transport>(3, 2, "barrier", [](auto& comm) { tutti::barrier(comm); });
}
TEST_CASE_TEMPLATE("a rank returns early where the root waits for nobody", Transport, on_threads, on_shm) {
  // A root may run ahead of its readers by a few operations, not for ever.
  watchdog dog;
  board notes;
  const outcome result = run<Transport>(notes, 2, [&](auto& comm) {
    std::vector<int> data(10, 7);
    for (int i = 0; i < (comm.rank() == 1 ? 3 : 100); ++i) tutti::broadcast<tutti::tree>(comm, data, 0);
  });
  CAPTURE(result.text);
  CHECK(result.threw);
  CHECK(result.code == tutti::errc::peer_failed);
  CHECK(result.says("rank 1 has left before operation "));
  CHECK(notes[0].about == 1);
}
TEST_CASE_TEMPLATE("an operator throws on one rank, which catches it and returns", Transport, on_threads, on_shm) {
  const auto check = [](auto algorithm) {
    watchdog dog;
    board notes;
    const outcome result = run<Transport>(notes, 4, [&](auto& comm) {
      std::vector<int> data(3000, 1);
      const bool clumsy = comm.rank() == 2;
      const auto op = [clumsy](int a, int b) {
        if (clumsy) throw std::runtime_error("the operator stumbled");
        return a + b;
      };
      try {
        for (int i = 0; i < 10; ++i) tutti::all_reduce(comm, data, tutti::commutative(op), algorithm);
      } catch (const std::runtime_error&) {  // as if nothing had happened
      }
    });
    CAPTURE(algorithm.name);
    CAPTURE(result.text);
    CHECK(result.threw);
    CHECK(result.code == tutti::errc::peer_failed);
    CHECK(result.rank == 2);
    CHECK(result.says("the operator stumbled"));
    CHECK(result.seconds < 2);
    for (const int rank : {0, 1, 3}) {
      CAPTURE(rank);
      CHECK(notes[rank].threw == 1);
      CHECK(notes[rank].about == 2);
    }
  };
  check(tutti::ring{});
  check(tutti::direct{});
  check(tutti::one_phase{});
}
TEST_CASE_TEMPLATE("a rank that returns early after all have what they need disturbs nobody", Transport, on_threads,
                   on_shm) {
  watchdog dog;
  board notes;
  const outcome result = run<Transport>(notes, 4, [&](auto& comm) {
    std::vector<int> data(100000, 1);
    tutti::all_reduce<tutti::ring>(comm, data, tutti::sum{});
    tutti::reduce(comm, data, tutti::sum{}, 2);
    tutti::broadcast(comm, data, 3);
    if (comm.rank() != 1) poll(nullptr, 0, 50);
    notes[comm.rank()].progress = data[0];
  });
  CAPTURE(result.text);
  CHECK_FALSE(result.threw);
}
TEST_CASE("who has failed and left is known as who failed, not as who is gone") {
  std::string heard;
  const auto function = [&](tutti::threads::communicator& comm) {
    if (comm.rank() == 1) {
      poll(nullptr, 0, 300);
      return;
    }
    late_trouble trouble(comm.world());
    comm.watch(trouble);
    try {
      tutti::barrier(comm);
    } catch (const tutti::error& failure) {
      heard = failure.what();
      throw;
    }
  };
  CHECK_THROWS_AS(tutti::threads::launch(2, function), tutti::error);
  CHECK(heard == "barrier on rank 0: rank 1 failed: its disk is full");
}
TEST_CASE_TEMPLATE("a rank swallows its error and returns: it has left", Transport, on_threads, on_shm) {
  watchdog dog;
  board notes;
  const outcome result = run<Transport>(notes, 3, [](auto& comm) {
    std::vector<int> data(10);
    if (comm.rank() == 1) {
      try {
        tutti::broadcast(comm, data, 9);
      } catch (const tutti::error&) {
        return;
      }
    }
    tutti::broadcast(comm, data, 1);
  });
  CAPTURE(result.text);
  CHECK(result.threw);
  CHECK(result.code == tutti::errc::peer_failed);
  CHECK(result.rank == 1);
  CHECK(result.says("rank 1 has left"));
}

TEST_CASE("a thread that throws") {
  watchdog dog;
  for (const int size : {2, 5})
    for (const int victim : {0, size - 1})
      for (int what = 0; what < 3; ++what) {
        board notes;
        const outcome result = run<on_threads>(notes, size, [&](auto& comm) {
          for (int i = 0;; ++i) {
            if (comm.rank() == victim && i == 5) {
              if (what == 0) throw tutti::error(tutti::errc::resource, 77, "the coffee ran out");
              if (what == 1) throw std::runtime_error("the tea ran out");
              throw 42;
            }
            all_reduce_with<tutti::direct>(comm);
          }
        });
        const char* words = what == 0   ? "the coffee ran out"
                            : what == 1 ? "the tea ran out"
                                        : "threw something that is no std::exception";
        CAPTURE(result.text);
        CHECK(result.threw);
        CHECK(result.rank == victim);
        CHECK(result.code == (what == 0 ? tutti::errc::resource : tutti::errc::peer_failed));
        CHECK(result.says("rank " + std::to_string(victim) + " failed: " + words));
        CHECK(result.seconds < 2);
        for (int rank = 0; rank < size; ++rank) {
          if (rank == victim) continue;
          CAPTURE(notes[rank].text);
          CHECK(notes[rank].code == tutti::errc::peer_failed);
          CHECK(notes[rank].about == victim);
          CHECK(contains(notes[rank].text, words));
        }
      }
}
