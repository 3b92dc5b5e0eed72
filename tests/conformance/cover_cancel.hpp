// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "world.hpp"

#include <string>
#include <vector>

#include <unistd.h>

namespace conformance {

template <class Transport>
void cancelled_collectives() {
  if (!has_room_for<Transport>(3)) return;
  // A collective can't be taken back: all hear of it.
  try {
    Transport::launch(3, [](typename Transport::communicator& comm) {
      std::vector<int> data(100, comm.rank());
      auto under_way = tutti::async::all_reduce(comm, data, tutti::sum{});
      if (comm.rank() == 1) {
        expect(comm, !under_way.cancel(), "a collective was taken back");
        return;
      }
      if (comm.rank() == 0) usleep(50000);
      tutti::barrier(comm);
      under_way.wait();
    });
    FAIL_CHECK("a cancelled collective went on");
  } catch (const tutti::error& failure) {
    CHECK(std::string(failure.what()).find("a request was cancelled that its peers had seen") != std::string::npos);
  }
}

}  // namespace conformance
