// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "summing.hpp"

#include <tutti/tutti.hpp>

float sum_of_ranks(int ranks) {
  float sum = 0;
  tutti::threads::launch(ranks, [&sum](auto& world) {
    float mine[1] = {float(world.rank())};
    tutti::all_reduce(world, mine, tutti::sum{});
    if (world.rank() == 0) sum = mine[0];
  });
  return sum;
}

int tutti_version_of_library() { return TUTTI_VERSION; }
