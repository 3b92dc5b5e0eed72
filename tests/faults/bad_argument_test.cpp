// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that can't work on their own: the caller gets bad_argument before anything has moved, so that the communicator
// is as good as before.
#include "faults.hpp"

#include <functional>
#include <span>

using namespace faults;

namespace {

/// Every rank makes the same bad call, reads its error, and then reduces as if nothing had been.
template <class Transport>
void expect_bad_argument(const std::vector<std::string>& parts,
                         const std::function<void(typename Transport::communicator&)>& call) {
  watchdog dog;
  constexpr int size = 3;
  board notes;
  const outcome result = run<Transport>(notes, size, [&](auto& comm) {
    note& mine = notes[comm.rank()];
    try {
      call(comm);
    } catch (const tutti::error& failure) {
      mine.code = failure.code();
      mine.about = failure.rank();
      std::snprintf(mine.text, sizeof mine.text, "%s", failure.what());
    }
    std::vector<int> ones(100, 1);
    tutti::all_reduce(comm, ones, tutti::sum{});
    tutti::all_reduce<tutti::ring>(comm, ones, tutti::sum{});
    mine.progress = ones[99];
  });
  CAPTURE(result.text);
  CHECK_FALSE(result.threw);
  for (int rank = 0; rank < size; ++rank) {
    const note& one = notes[rank];
    CAPTURE(one.text);
    CHECK(one.text[0] != 0);
    CHECK(one.code == tutti::errc::bad_argument);
    for (const std::string& part : parts) {
      CAPTURE(part);
      CHECK(contains(one.text, part));
    }
    if (parts[0].rfind("tutti:", 0) != 0) {  // the call knew a rank
      CHECK(one.about == rank);
      CHECK(contains(one.text, parts[0] + " on rank " + std::to_string(rank)));
    }
    CHECK(one.progress == size * size);
  }
}

using some = tutti::one_of<tutti::ring, tutti::direct, tutti::automatic>;

/// Serves all_reduce only.
struct only_all_reduce {
  static constexpr const char* name = "only_all_reduce";
  static constexpr bool rank_order = true;
  static constexpr auto schedule(tutti::collective::all_reduce call) { return tutti::tree::schedule(call); }
};

}  // namespace

TEST_CASE_TEMPLATE("a root out of range", Transport, on_threads, on_shm) {
  SUBCASE("negative") {
    expect_bad_argument<Transport>({"broadcast", "root is -1", "below the size 3"}, [](auto& comm) {
      std::vector<int> data(10);
      tutti::broadcast(comm, data, -1);
    });
  }
  SUBCASE("the size itself") {
    expect_bad_argument<Transport>({"reduce", "root is 3", "below the size 3"}, [](auto& comm) {
      std::vector<int> data(10);
      tutti::reduce(comm, data, tutti::sum{}, 3);
    });
  }
  SUBCASE("far away, out of place") {
    expect_bad_argument<Transport>({"reduce", "root is 2147483647", "below the size 3"}, [](auto& comm) {
      const std::vector<int> in(10);
      std::vector<int> out(10);
      tutti::reduce<tutti::ring>(comm, in, out, tutti::sum{}, 2147483647);
    });
  }
}

TEST_CASE_TEMPLATE("an output of the wrong length", Transport, on_threads, on_shm) {
  const std::vector<int> ten(10);
  SUBCASE("all_reduce") {
    expect_bad_argument<Transport>({"all_reduce", "out has 9 elements, expected 10"}, [&](auto& comm) {
      std::vector<int> out(9);
      tutti::all_reduce(comm, ten, out, tutti::sum{});
    });
  }
  SUBCASE("reduce_scatter: each rank owes another length") {
    expect_bad_argument<Transport>({"reduce_scatter", "out has 10 elements, expected "}, [&](auto& comm) {
      std::vector<int> out(10);
      tutti::reduce_scatter(comm, ten, out, tutti::sum{});
    });
  }
  SUBCASE("all_gather") {
    expect_bad_argument<Transport>({"all_gather", "in has 10 elements, expected "}, [&](auto& comm) {
      std::vector<int> out(20);
      tutti::all_gather(comm, ten, out);
    });
  }
  SUBCASE("a pipeline") {
    expect_bad_argument<Transport>({"reduce_scatter | transform | all_gather", "out has 11 elements, expected 10"},
                                   [&](auto& comm) {
                                     std::vector<int> out(11);
                                     auto step = tutti::reduce_scatter(tutti::sum{}) |
                                                 tutti::transform([](int& a, int b) { a += b; }) | tutti::all_gather();
                                     step(comm, ten, out);
                                   });
  }
}

TEST_CASE_TEMPLATE("ranges that overlap in part", Transport, on_threads, on_shm) {
  SUBCASE("all_reduce, one element on") {
    expect_bad_argument<Transport>({"all_reduce", "in [", "out [", "40 bytes", "overlap"}, [](auto& comm) {
      std::vector<int> data(11);
      tutti::all_reduce(comm, std::span(data).first(10), std::span(data).last(10), tutti::sum{});
    });
  }
  SUBCASE("reduce_scatter, the shard within the input") {
    expect_bad_argument<Transport>({"reduce_scatter", "36 bytes", "12 bytes", "overlap"}, [](auto& comm) {
      std::vector<int> data(9);
      tutti::reduce_scatter(comm, data, std::span(data).subspan(3, 3), tutti::sum{});
    });
  }
  SUBCASE("all_gather, the shard within the output and not in its place") {
    expect_bad_argument<Transport>({"all_gather", "12 bytes", "36 bytes", "overlap"}, [](auto& comm) {
      std::vector<int> data(9);
      tutti::all_gather(comm, std::span(data).first(3), data);
    });
  }
  SUBCASE("a pipeline in the form with two ranges") {
    expect_bad_argument<Transport>({"reduce_scatter | transform | all_gather", "overlap"}, [](auto& comm) {
      std::vector<int> data(9);
      auto step =
          tutti::reduce_scatter(tutti::sum{}) | tutti::transform([](int& a, int b) { a += b; }) | tutti::all_gather();
      step(comm, data, data);
    });
  }
}

TEST_CASE("an algorithm that nobody knows") {
  for (const char* wanted : {"nope", "", "Ring", "ring "}) {
    CAPTURE(wanted);
    try {
      some::named(wanted);
      FAIL("it was found");
    } catch (const tutti::error& failure) {
      CHECK(failure.code() == tutti::errc::bad_argument);
      CHECK(failure.rank() == -1);
      CHECK(failure.what() ==
            "tutti: there is no algorithm \"" + std::string(wanted) + "\"; there are ring, direct, automatic");
    }
  }
  CHECK(std::string(some::named(std::string("direct")).name()) == "direct");
}

TEST_CASE_TEMPLATE("an algorithm chosen at run time that can't do it", Transport, on_threads, on_shm) {
  SUBCASE("it folds out of rank order, and the operator doesn't commute") {
    expect_bad_argument<Transport>(
        {"all_reduce", "the algorithm ring", "folds out of rank order", "tutti::commutative"}, [](auto& comm) {
          std::vector<int> data(10);
          tutti::all_reduce(
              comm, data, [](int a, int) { return a; }, some::named("ring"));
        });
  }
  SUBCASE("it doesn't serve the collective") {
    expect_bad_argument<Transport>({"broadcast", "the algorithm only_all_reduce", "doesn't serve"}, [](auto& comm) {
      std::vector<int> data(10);
      tutti::broadcast(comm, data, 0, tutti::one_of<tutti::ring, only_all_reduce>::named("only_all_reduce"));
    });
  }
}

TEST_CASE_TEMPLATE("a size that can't be", Transport, on_threads, on_shm) {
  for (const int size : {0, -1, -2147483647}) {
    board notes;
    const outcome result = run<Transport>(notes, size, [](auto&) {});
    CHECK(result.threw);
    CHECK(result.code == tutti::errc::bad_argument);
    CHECK(result.says("size is " + std::to_string(size)));
  }
}

TEST_CASE_TEMPLATE("an allocation larger than the address space", Transport, on_threads, on_shm) {
  board notes;
  const outcome result =
      run<Transport>(notes, 2, [](auto& comm) { comm.template allocate<double>(std::size_t(1) << 60); });
  CAPTURE(result.text);
  CHECK(result.threw);
  CHECK((result.code == tutti::errc::bad_argument || result.code == tutti::errc::resource));
  CHECK(result.says("allocate on rank "));
}
