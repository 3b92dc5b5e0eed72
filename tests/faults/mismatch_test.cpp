// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that call different things: every rank gets an error that names the argument and both values.
#include "faults.hpp"

#include <functional>

using namespace faults;

namespace {

/// One odd rank among three. Both calls are functions of the communicator. `argument` is how the text names what
/// differs; most and odd are its two values.
template <class Transport>
using call = std::function<void(typename Transport::communicator&)>;  // a type, so that this compiles once

template <class Transport>
void expect_mismatch(const std::string& argument, const std::string& most, const std::string& odd,
                     const call<Transport>& usual, const call<Transport>& strange) {
  watchdog dog;
  constexpr int size = 3, odd_rank = 1;
  board notes;
  const outcome result = run<Transport>(notes, size, [&](auto& comm) {
    if (comm.rank() == odd_rank)
      strange(comm);
    else
      usual(comm);
    // A rank that neither waits nor reads in that call learns of it in the next.
    for (int i = 0; i < 8; ++i) tutti::barrier(comm);
  });
  CAPTURE(result.text);
  REQUIRE(result.threw);
  CHECK(result.code == tutti::errc::mismatch);
  CHECK(result.rank >= 0);
  CHECK(result.rank < size);
  const std::string from_usual = argument + " is " + most + " here and " + odd + " on rank 1";
  const std::string from_odd = argument + " is " + odd + " here and " + most + " on rank ";
  CHECK((result.says(from_usual) || result.says(from_odd)));
  CHECK(result.says(" on rank " + std::to_string(result.rank) + ": "));
  for (int rank = 0; rank < size; ++rank) {
    CAPTURE(rank);
    const note& one = notes[rank];
    CAPTURE(one.text);
    CHECK(one.threw == 1);
    CHECK((one.code == tutti::errc::mismatch || one.code == tutti::errc::peer_failed));
    CHECK(contains(one.text, argument));
    CHECK(contains(one.text, most));
    CHECK(contains(one.text, odd));
  }
}

template <class Algorithm, class Element = int, class Chunking = tutti::default_chunking, class Op = tutti::sum>
auto all_reduce_of(std::size_t count, Op op = {}) {
  return [count, op](auto& comm) {
    std::vector<Element> data(count, Element(1));
    tutti::all_reduce<Algorithm, Chunking>(comm, data, op);
  };
}

template <class Algorithm>
auto broadcast_from(int root) {
  return [root](auto& comm) {
    std::vector<int> data(100, comm.rank());
    tutti::broadcast<Algorithm>(comm, data, root);
  };
}

template <class Algorithm>
auto reduce_to(int root) {
  return [root](auto& comm) {
    std::vector<int> data(100, comm.rank());
    tutti::reduce<Algorithm>(comm, data, tutti::sum{}, root);
  };
}

const auto just_barrier = [](auto& comm) { tutti::barrier(comm); };

template <class Transport, class Algorithm>
void mismatches_of() {
  SUBCASE("counts") {
    expect_mismatch<Transport>("count", "1000", "2000", all_reduce_of<Algorithm>(1000), all_reduce_of<Algorithm>(2000));
  }
  SUBCASE("nothing and something") {
    expect_mismatch<Transport>("count", "7", "0", all_reduce_of<Algorithm>(7), all_reduce_of<Algorithm>(0));
  }
  SUBCASE("long vectors") {
    expect_mismatch<Transport>("count", "400000", "400001", all_reduce_of<Algorithm>(400000),
                               all_reduce_of<Algorithm>(400001));
  }
  SUBCASE("element types of one size") {
    expect_mismatch<Transport>("the element type", "int", "float", all_reduce_of<Algorithm>(50),
                               all_reduce_of<Algorithm, float>(50));
  }
  SUBCASE("element types of two sizes") {
    expect_mismatch<Transport>("the element type", "int", "double", all_reduce_of<Algorithm>(50),
                               all_reduce_of<Algorithm, double>(50));
  }
  SUBCASE("operators") {
    expect_mismatch<Transport>("op", "sum", "max", all_reduce_of<Algorithm>(50),
                               all_reduce_of<Algorithm>(50, tutti::max{}));
  }
  SUBCASE("roots of broadcast") {
    expect_mismatch<Transport>("root", "0", "2", broadcast_from<Algorithm>(0), broadcast_from<Algorithm>(2));
  }
  SUBCASE("roots of reduce") {
    expect_mismatch<Transport>("root", "2", "1", reduce_to<Algorithm>(2), reduce_to<Algorithm>(1));
  }
  SUBCASE("collectives") {
    expect_mismatch<Transport>("the collective", "all_reduce", "barrier", all_reduce_of<Algorithm>(50), just_barrier);
    expect_mismatch<Transport>("the collective", "barrier", "broadcast", just_barrier, broadcast_from<Algorithm>(1));
  }
  SUBCASE("chunk lengths") {
    expect_mismatch<Transport>("the chunk length in elements", "256", "512",
                               all_reduce_of<Algorithm, int, tutti::chunked<1024>>(10000),
                               all_reduce_of<Algorithm, int, tutti::chunked<2048>>(10000));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("ring sees what differs between ranks", Transport, on_threads, on_shm) {
  mismatches_of<Transport, tutti::ring>();
}
TEST_CASE_TEMPLATE("tree sees what differs between ranks", Transport, on_threads, on_shm) {
  mismatches_of<Transport, tutti::tree>();
}
TEST_CASE_TEMPLATE("direct sees what differs between ranks", Transport, on_threads, on_shm) {
  mismatches_of<Transport, tutti::direct>();
}
TEST_CASE_TEMPLATE("one_phase sees what differs between ranks", Transport, on_threads, on_shm) {
  mismatches_of<Transport, tutti::one_phase>();
}

TEST_CASE_TEMPLATE("algorithms that differ between ranks", Transport, on_threads, on_shm) {
  SUBCASE("two by messages") {
    expect_mismatch<Transport>("the algorithm", "ring", "tree", all_reduce_of<tutti::ring>(50),
                               all_reduce_of<tutti::tree>(50));
  }
  SUBCASE("two by loads and stores") {
    expect_mismatch<Transport>("the algorithm", "direct", "one_phase", all_reduce_of<tutti::direct>(50),
                               all_reduce_of<tutti::one_phase>(50));
  }
  SUBCASE("one of each") {
    expect_mismatch<Transport>("the algorithm", "ring", "direct", all_reduce_of<tutti::ring>(50),
                               all_reduce_of<tutti::direct>(50));
  }
}

TEST_CASE_TEMPLATE("allocations that differ between ranks", Transport, on_threads, on_shm) {
  const auto ask = [](std::size_t count) { return [count](auto& comm) { comm.template allocate<float>(count); }; };
  expect_mismatch<Transport>("count", "100", "5000", ask(100), ask(5000));
}

TEST_CASE_TEMPLATE("a mismatch after many calls that match", Transport, on_threads, on_shm) {
  const auto many = [](std::size_t last) {
    return [last](auto& comm) {
      for (int i = 0; i < 100; ++i) all_reduce_of<tutti::direct>(64)(comm);
      all_reduce_of<tutti::ring>(last)(comm);
    };
  };
  expect_mismatch<Transport>("count", "64", "65", many(64), many(65));
}
