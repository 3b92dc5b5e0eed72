// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/tutti.hpp>

#include <cstdio>
#include <vector>

int main() {
  tutti::shm::launch(3, [](auto& world) {
    std::vector<float> data(5, float(world.rank()));
    tutti::all_reduce(world, data, tutti::sum{});
    if (world.rank() == 0) std::printf("sum %g\n", double(data[4]));
  });
}
