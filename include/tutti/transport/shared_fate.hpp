// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/transport/memory.hpp>
#include <tutti/transport/mpi.hpp>
#include <tutti/transport/onlooker.hpp>
#include <tutti/transport/shm.hpp>

namespace tutti::detail {

/// Two transports between the same ranks: what fails on one fails on the other, too.
class shared_fate {
 public:
  shared_fate(shm::communicator& near, mpi::communicator& far) : by_near_(near, far), by_far_(near, far) {
    near.watch(by_near_);
    far.watch(by_far_);
  }
  shared_fate(const shared_fate&) = delete;

 private:
  struct both : onlooker {
    both(shm::communicator& one, mpi::communicator& other) : near(one), far(other) {}
    shm::communicator& near;
    mpi::communicator& far;
  };
  [[noreturn]] static void throw_failure(const char* collective, int rank, int about, const char* text) {
    fail(errc::peer_failed, about, "%s on rank %d: rank %d of the world failed: %s", collective, rank, about, text);
  }

  /// Of who waits for shared memory.
  struct by_near final : both {
    using both::both;
    void look(const char* collective, int rank) override {
      if (!far.may_be_used()) return;
      far.world()->poll();
      if (far.world()->failed())
        throw_failure(collective, rank, far.world()->failure().about, far.world()->failure().text);
    }
    void heard(errc code, const char* reason) noexcept override {
      if (far.may_be_used()) far.world()->record(code, far.world_rank(), reason);
    }
  };
  /// Of who waits for MPI.
  struct by_far final : both {
    using both::both;
    void look(const char* collective, int rank) override {
      near.look_around(collective, rank);
      const failure_line& line = near.world().failure();
      if (hardware_memory::observe(line.published) != 0)
        throw_failure(collective, rank, near.called_in_world(line.rank), line.text);
    }
    void heard(errc code, const char* reason) noexcept override {
      near.world().record_failure(code, near.world_rank(), reason);
    }
  };

  by_near by_near_;
  by_far by_far_;
};

}  // namespace tutti::detail
