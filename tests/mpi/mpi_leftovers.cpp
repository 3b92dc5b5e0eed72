// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was still to be read when a communicator ended stays unread. MPI may number the next one as it did that one, and
// gives it what was left. And MPI must get the numbers back: it hasn't many.
#include <tutti/mpi.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("mpi: notes of a world that has ended") {
  for (int turn = 0; turn < 5; ++turn) {
    {
      tutti::detail::mpi_world ended(MPI_COMM_WORLD);
      tutti::detail::mpi_note note;
      note.kind = tutti::detail::mpi_note::failed;
      for (int peer = 0; peer < ended.size(); ++peer)
        if (peer != ended.rank()) ended.send(note, peer);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    tutti::detail::mpi_world next(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int look = 0; look < 100; ++look) next.poll();
    CHECK(!next.failed());
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("mpi: letters of a world that has ended") {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  for (int turn = 0; turn < 4; ++turn) {
    tutti::mpi::communicator world(MPI_COMM_WORLD);
    if (world.rank() == 0) tutti::send(world, 1, std::vector<int>{turn, turn});
    if (world.rank() == 1 && turn % 2 == 1) CHECK(tutti::recv<int>(world, 0) == std::vector<int>{turn, turn});
    tutti::barrier(world);
  }
}

TEST_CASE("mpi: more communicators than MPI has numbers, one after the other") {
  auto world = tutti::mpi::world();
  if (world.size() != 2) return;  // many ranks take long, and show no more
  for (int turn = 0; turn < 3000; ++turn) {
    auto one = world.duplicate();
    tutti::barrier(one);
  }
}
