// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that share processors: all of them know, and automatic goes by another table then.
#include <doctest/doctest.h>

#include <tutti/tutti.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <sched.h>

namespace {

using tutti::detail::cpu_share;
using tutti::detail::shared_world;

/// This thread, and what it starts, on its first processor alone.
class on_one_processor {
 public:
  on_one_processor() {
    REQUIRE(sched_getaffinity(0, sizeof before_, &before_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    int first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    CPU_SET(first, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  }
  on_one_processor(const on_one_processor&) = delete;
  on_one_processor& operator=(const on_one_processor&) = delete;
  ~on_one_processor() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

/// Of a world whose ranks have these.
int processors_of(const std::vector<cpu_share>& shares) {
  const auto region = tutti::detail::region::anonymous(std::size_t(1) << 36);
  const shared_world world(region, int(shares.size()));
  world.create(0);
  for (std::size_t rank = 0; rank < shares.size(); ++rank) world.status(int(rank)).cpus = shares[rank].packed();
  return world.processors();
}

cpu_share share(int count, int first, int quota = 0xffff) {
  return {std::uint16_t(count), std::uint16_t(first), std::uint16_t(quota)};
}

}  // namespace

TEST_CASE("the processors of a world: those that its ranks share count once, and no more than is allowed at a time") {
  CHECK(processors_of({share(16, 0), share(16, 0), share(16, 0)}) == 16);
  CHECK(processors_of({share(1, 0), share(1, 1), share(1, 2), share(1, 3)}) == 4);
  CHECK(processors_of({share(2, 0), share(2, 2), share(2, 0), share(2, 2)}) == 4);
  CHECK(processors_of({share(1, 65000), share(1, 7)}) == 2);
  CHECK(processors_of({share(16, 0, 3), share(16, 0, 3)}) == 3);
  CHECK(processors_of({share(16, 0), share(16, 0, 1)}) == 1);
}

TEST_CASE("a rank that has come by itself says where it may run") {
  const auto region = tutti::detail::region::anonymous(std::size_t(1) << 36);
  const shared_world world(region, 2);
  world.create(0);
  const std::uint64_t everywhere = world.status(1).cpus;
  CHECK(everywhere == cpu_share::of_this_thread().packed());
  const on_one_processor pinned;
  tutti::detail::sign_in(world, 1);
  CHECK(cpu_share::unpacked(world.status(1).cpus).count == 1);
  CHECK(world.status(0).cpus == everywhere);
}

namespace {

/// What all ranks and their groups say; a rank that says something else makes the launch throw.
template <class Launch>
void expect_crowded(bool crowded, int size, Launch launch) {
  CHECK_NOTHROW(launch(size, [&](auto& comm) {
    auto half = comm.split(comm.rank() % 2);
    auto other = comm.duplicate();
    if (comm.crowded() != crowded || half.crowded() != crowded || other.crowded() != crowded)
      throw tutti::error(tutti::errc::bad_argument, comm.rank(), "says something else");
    const std::size_t most = tutti::automatic::one_phase_bytes(comm.size(), crowded);
    const auto taken = [&](std::size_t bytes) {
      return std::string(tutti::explain(comm, bytes, tutti::sum{}).algorithm());
    };
    if (size > 1 && (taken(most) != "one_phase" || taken(most + 4) != "direct"))
      throw tutti::error(tutti::errc::bad_argument, comm.rank(), "takes something else");
    for (const std::size_t count : {std::size_t(1), most / 4, most / 4 + 1}) {
      std::vector<float> sums(count, float(comm.rank()));
      tutti::all_reduce(comm, sums, tutti::sum{});
      for (const float one : sums)
        if (one != float(size * (size - 1) / 2))
          throw tutti::error(tutti::errc::bad_argument, comm.rank(), "adds up wrong");
    }
  }));
}

}  // namespace

TEST_CASE("all ranks and their groups know whether they have a processor each, and automatic goes by it") {
  const auto threads = [](int size, auto function) { tutti::threads::launch(size, function); };
  const auto shm = [](int size, auto function) { tutti::shm::launch(size, function); };
  expect_crowded(false, 1, threads);
  for (const int size : {2, 4, 7}) {
    CAPTURE(size);
    expect_crowded(tutti::detail::usable_cpus() < size, size, threads);
    expect_crowded(tutti::detail::usable_cpus() < size, size, shm);
    const on_one_processor pinned;
    expect_crowded(true, size, threads);
    expect_crowded(true, size, shm);
  }
}

namespace {

struct measured {
  static constexpr tutti::crossing crossings[] = {{2, 512}, {3, 128}};
};

}  // namespace

TEST_CASE("whoever says what automatic goes by is believed, crowded or not") {
  using tuned = tutti::automatic_by<measured>;
  for (const bool crowded : {false, true}) {
    CHECK(tuned::one_phase_bytes(2, crowded) == 512);
    CHECK(tuned::one_phase_bytes(9, crowded) == 128);
  }
  CHECK(tutti::automatic::one_phase_bytes(4, true) > tutti::automatic::one_phase_bytes(4, false));
}
