// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/tutti.hpp>

#include <vector>

int sum_of_ranks_elsewhere(int ranks);

int sum_of_ranks_elsewhere(int ranks) {
  int result = 0;
  tutti::threads::launch(ranks, [&](auto& world) {
    std::vector<int> data(3, world.rank() + 1);
    tutti::all_reduce(world, data, tutti::sum{});
    if (world.rank() == 0) result = data[2];
  });
  return result;
}
