// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where the suite runs: the transports, the numbers of ranks on each, and how a failing rank reaches doctest.

#include <tutti/tutti.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#if !defined(TUTTI_REDUCED)
#  define TUTTI_REDUCED 0
#endif

namespace conformance {

/// Sanitizers run a smaller matrix.
inline constexpr bool reduced = TUTTI_REDUCED != 0;

/// Ranks as threads, or, where TUTTI_TEST_PROCESSES is set, as processes: what shm's ranks are made of, under the type
/// of communicator that threads have, so that most of the suite is compiled once for both. shm itself runs the rest of
/// it.
struct threads {
  using communicator = tutti::threads::communicator;
  static bool as_processes() { return std::getenv("TUTTI_TEST_PROCESSES") != nullptr; }
  template <class Rank>
  static void launch(int size, Rank&& rank) {
    as_processes() ? tutti::shm::detail::fork_ranks<communicator>(size, rank) : tutti::threads::launch(size, rank);
  }
  static std::vector<int> sizes() {
    if (reduced) return {1, 2, 3, 5};
    if (as_processes()) return {1, 2, 3, 4, 5, 8, 9};
    return {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17};
  }
};

struct shm {
  using communicator = tutti::shm::communicator;
  template <class Rank>
  static void launch(int size, Rank&& rank) {
    tutti::shm::launch(size, rank);
  }
  static std::vector<int> sizes() {
    return reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9};
  }
};

/// False where this transport has too few ranks here for a world of that size.
template <class Transport>
bool has_room_for(int size) {
  if constexpr (requires { Transport::most(); })
    return size <= Transport::most();
  else
    return size > 0;
}

/// Where a part has more to try than its build time allows twice: what the front doors do doesn't depend on the
/// transport.
template <class Communicator>
inline constexpr bool thorough = !reduced && std::is_same_v<Communicator, threads::communicator>;

/// What a rank finds wrong.
template <class Communicator>
void expect(const Communicator& comm, bool holds, const char* what, long number = 0) {
  if (!holds)
    throw std::runtime_error(std::string(Communicator::transport_name) + ", rank " + std::to_string(comm.rank()) +
                             " of " + std::to_string(comm.size()) + ": " + what + " (" + std::to_string(number) + ")");
}
template <class Range, class Value>
bool all_are(const Range& range, const Value& value) {
  for (const auto& one : range)
    if (!(one == value)) return false;
  return true;
}

/// One world. A rank reports by throwing: doctest knows nothing of what happens in a forked child, and launch
/// rethrows the first failure with its text.
template <class Transport, class Rank>
void in_world(int size, Rank&& rank) {
  if (!has_room_for<Transport>(size)) return;
  try {
    Transport::launch(size, rank);
    CHECK(size > 0);
  } catch (const std::exception& failure) {
    const std::string how = threads::as_processes() ? "as processes: " : "";
    FAIL_CHECK(std::string(how + failure.what()));
  }
}

/// One world for each number of ranks that the transport is tested with, up to `most`.
template <class Transport, class Rank>
void in_every_world(Rank&& rank, int most = 1000) {
  for (const int size : Transport::sizes())
    if (size <= most) in_world<Transport>(size, rank);
}

}  // namespace conformance
