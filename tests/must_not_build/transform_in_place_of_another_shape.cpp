// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: transform(f) needs f(value&) when the pipeline is called with one range
#include <tutti/tutti.hpp>

#include <vector>

void wrong(tutti::threads::communicator& comm, std::vector<float>& values) {
#if defined(TUTTI_MUST_BUILD)
  const auto halve = [](float& value) { value /= 2; };
#else
  const auto halve = [](float& value, float by) { value /= by; };
#endif
  auto update = tutti::reduce_scatter(tutti::sum{}) | tutti::transform(halve) | tutti::all_gather();
  update(comm, values);
}
