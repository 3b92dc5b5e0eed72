// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// MPI as one more transport of the conformance suite. The ranks are there before the test begins, so a world of the
// suite is the first ranks of MPI_COMM_WORLD, and the others wait for its end.

#include "conformance/world.hpp"

#if defined(TUTTI_TEST_HYBRID)
#  include <tutti/hybrid.hpp>
#else
#  include <tutti/mpi.hpp>
#endif

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {

/// The first error of a world reaches all processes.
inline void share_failure(const std::unique_ptr<tutti::error>& mine) {
  int size = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct report {
    int code, about;
    char text[640];
  };
  report own{-1, -1, {}};
  if (mine != nullptr) {
    own.code = int(mine->code());
    own.about = mine->rank();
    std::snprintf(own.text, sizeof own.text, "%s", mine->what());
  }
  std::vector<report> all(static_cast<std::size_t>(size));
  MPI_Allgather(&own, int(sizeof own), MPI_BYTE, all.data(), int(sizeof own), MPI_BYTE, MPI_COMM_WORLD);
  const report* first = nullptr;
  for (const report& one : all)  // peers that only heard of it come after who knows it at first hand
    if (one.code >= 0 && (first == nullptr || (tutti::errc(first->code) == tutti::errc::peer_failed &&
                                               tutti::errc(one.code) != tutti::errc::peer_failed)))
      first = &one;
  if (first != nullptr) throw tutti::error(tutti::errc(first->code), first->about, first->text);
}

/// TUTTI_TEST_HOSTS=aab puts every third rank on a host of its own, as far as tutti::hybrid can tell.
inline void move_to_host(int rank) {
  const char* hosts = std::getenv("TUTTI_TEST_HOSTS");
  if (hosts == nullptr || *hosts == 0 || std::getenv("TUTTI_TEST_REAL_HOSTS") != nullptr) return;
  const char own[2] = {hosts[std::size_t(rank) % std::strlen(hosts)], 0};
  setenv("TUTTI_HOST", own, 1);
}

/// Transport is a type with a communicator that is made from an MPI_Comm.
template <class Communicator>
struct over_mpi {
  using communicator = Communicator;
  static int most() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
  }
  static std::vector<int> sizes() { return {most()}; }

  template <class Rank>
  static void launch(int size, Rank&& rank) {
    int here = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &here);
    move_to_host(here);
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, here < size ? 0 : MPI_UNDEFINED, here, &part);
    std::unique_ptr<tutti::error> failure;
    if (part != MPI_COMM_NULL) {
      std::optional<Communicator> comm;
      const auto attempt = [&](auto&& action) {
        try {
          action();
        } catch (const tutti::error& thrown) {
          failure = std::make_unique<tutti::error>(thrown);
        } catch (const std::exception& thrown) {
          failure = std::make_unique<tutti::error>(tutti::errc::bad_argument, here, thrown.what());
        }
      };
      attempt([&] { comm.emplace(part); });
      MPI_Barrier(part);  // nobody fails while another one still makes its communicator
      if (failure == nullptr) attempt([&] { rank(*comm); });
      if (failure != nullptr && comm.has_value()) comm->abandon(failure->code(), failure->what());
    }
    share_failure(failure);
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  }
};

#if defined(TUTTI_TEST_HYBRID)
using mpi = over_mpi<tutti::hybrid::communicator>;
#else
using mpi = over_mpi<tutti::mpi::communicator>;
#endif

}  // namespace conformance
