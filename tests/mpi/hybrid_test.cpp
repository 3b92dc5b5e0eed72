// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only tutti::hybrid has: it knows hosts, and goes by shared memory where it can.
#include "mpi/mpi_world.hpp"

#include <tutti/progress_thread.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <unistd.h>

namespace {

using conformance::expect;
using conformance::mpi;
using communicator = tutti::hybrid::communicator;

char host_of(int rank) {
  const char* hosts = std::getenv("TUTTI_TEST_HOSTS");
  return hosts == nullptr || *hosts == 0 ? 'a' : hosts[std::size_t(rank) % std::strlen(hosts)];
}
int ranks_on(char host, int size) {
  int count = 0;
  for (int rank = 0; rank < size; ++rank) count += host_of(rank) == host;
  return count;
}

/// How many messages this process has begun on the MPI communicator of all hosts: none where all share memory.
template <class Action>
bool stays_silent(communicator& comm, Action&& action) {
  const std::uint64_t before = comm.far().operations_begun();
  action();
  return comm.far().operations_begun() == before;
}

}  // namespace

TEST_CASE("hybrid: hosts are found") {
  mpi::launch(mpi::most(), [](communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    expect(comm, comm.one_host() == (ranks_on(host_of(me), p) == p), "one host");
    expect(comm, comm.near().size() == ranks_on(host_of(me), p), "ranks of this host", comm.near().size());
    for (int rank = 0; rank < p; ++rank)
      for (int other = 0; other < p; ++other)
        expect(
            comm,
            (comm.hosts()[std::size_t(rank)] == comm.hosts()[std::size_t(other)]) == (host_of(rank) == host_of(other)),
            "who shares a host with whom", rank);
    expect(comm, comm.node().one_host() && comm.node().size() == comm.near().size(), "node");
    if (comm.leaders().active())
      for (int host : comm.leaders().hosts())
        expect(comm, std::count(comm.leaders().hosts().begin(), comm.leaders().hosts().end(), host) == 1, "leaders");
  });
}

TEST_CASE("hybrid: MPI is silent where all ranks share memory") {
  mpi::launch(mpi::most(), [](communicator& comm) {
    auto& node = comm.node();
    auto part = comm.split(host_of(comm.rank()));
    for (communicator* near : {&node, &part}) {
      std::vector<int> data(30000, near->rank() + 1), all(30000 * std::size_t(near->size()));
      const int p = near->size();
      expect(comm,
             stays_silent(*near,
                          [&] {
                            tutti::all_reduce(*near, data, tutti::sum{});
                            tutti::all_reduce(*near, data, tutti::max{}, tutti::ring{});
                            tutti::broadcast(*near, data);
                            tutti::all_gather(*near, data, all);
                            tutti::barrier(*near);
                            tutti::async::all_reduce(*near, data, tutti::min{}).wait();
                            auto kept =
                                tutti::plan(*near, [&](auto& on) { tutti::all_reduce(on, data, tutti::max{}); });
                            kept.run();
                          }),
             "a call on one host began operations of MPI");
      expect(comm, data[17] == p * (p + 1) / 2, "all_reduce on one host", data[17]);
    }
  });
}

TEST_CASE("hybrid: each reduction by levels, in rank order where that matters") {
  mpi::launch(mpi::most(), [](communicator& comm) {
    const int p = comm.size(), me = comm.rank();
    struct affine {
      std::int64_t factor, offset;
    };
    const auto after = [](affine one, affine other) {
      return affine{one.factor * other.factor % 1009, (one.factor * other.offset + one.offset) % 1009};
    };
    for (std::size_t count : {std::size_t(1), std::size_t(1000), std::size_t(40000)}) {
      std::vector<affine> data(count);
      for (std::size_t i = 0; i < count; ++i) data[i] = {me + 2, std::int64_t(i % 1009)};
      const auto given = data;
      tutti::all_reduce(comm, data, after);
      std::vector<affine> sum(count);
      for (std::size_t i = 0; i < count; ++i) {
        affine folded{2, std::int64_t(i % 1009)};
        for (int rank = 1; rank < p; ++rank) folded = after(folded, affine{rank + 2, std::int64_t(i % 1009)});
        expect(comm, folded.factor == data[i].factor && folded.offset == data[i].offset, "order of ranks", int(i));
      }
      for (int root = 0; root < p; ++root) {
        data = given;
        tutti::broadcast(comm, data, root);
        expect(comm, data[0].factor == root + 2, "broadcast", root);
        std::vector<int> ones(count, 1), total(count, -1);
        tutti::reduce(comm, ones, total, tutti::sum{}, root);
        expect(comm, total[count - 1] == (me == root ? p : -1), "reduce", root);
      }
    }
  });
}

TEST_CASE("hybrid: a progress thread moves requests and stays away from blocking calls") {
  mpi::launch(mpi::most(), [](communicator& comm) {
    tutti::progress_thread moves(comm);
    for (int turn = 0; turn < 20; ++turn) {
      std::vector<int> data(40000, comm.rank() + turn), sum(100, 1);
      auto request = tutti::async::all_reduce(comm, data, tutti::max{});
      usleep(turn % 3 * 300);
      tutti::all_reduce(comm, sum, tutti::sum{});
      request.wait();
      expect(comm, conformance::all_are(data, comm.size() - 1 + turn) && conformance::all_are(sum, comm.size()),
             "with a progress thread", turn);
    }
  });
}

TEST_CASE("hybrid: an error of one rank reaches all, by either way") {
  for (const bool near : {true, false})
    CHECK_THROWS_AS(mpi::launch(mpi::most(),
                                [&](communicator& comm) {
                                  if (comm.rank() == comm.size() - 1)
                                    throw tutti::error(tutti::errc::bad_argument, comm.rank(), "on purpose");
                                  std::vector<int> data(100, 1);
                                  for (int i = 0; i < 20000; ++i)
                                    tutti::all_reduce(near ? comm.node() : comm, data, tutti::max{});
                                }),
                    tutti::error);
}
