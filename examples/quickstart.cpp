// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tutti/tutti.hpp>

#include <cstdio>

int main() {
  tutti::shm::launch(4, [](auto& world) {
    std::vector<float> x(1000, float(world.rank() + 1));
    tutti::all_reduce(world, x, tutti::sum{});                                                // automatic
    tutti::all_reduce<tutti::ring, tutti::chunked<64 * tutti::KiB>>(world, x, tutti::max{});  // or say it yourself
    auto shard = tutti::reduce_scatter(world, x, [](float a, float b) { return a + b; });     // any callable, inlined
    if (world.rank() == 0) std::printf("x[0] = %g, rank 0 has %zu times %g\n", x[0], shard.size(), shard[0]);
  });
}
