// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/tutti.hpp>

#include <cstdio>
#include <vector>

int sum_of_ranks_elsewhere(int ranks);  // two.cpp: the same templates, instantiated there as well

int main() {
  int mismatches = 0;
  tutti::threads::launch(2, [&](auto& world) {
    std::vector<int> data(3, world.rank() + 1);
    tutti::all_reduce(world, data, tutti::sum{});
    if (world.rank() == 0 && data[2] != sum_of_ranks_elsewhere(2)) ++mismatches;
  });
  if (mismatches != 0) std::puts("two translation units disagree");
  return mismatches;
}
