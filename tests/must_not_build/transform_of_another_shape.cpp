// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tutti: transform(f) needs f(parameter&, const value&) when the pipeline is called with two ranges
#include <tutti/tutti.hpp>

#include <vector>

void wrong(tutti::threads::communicator& comm, const std::vector<float>& gradients, std::vector<float>& parameters) {
#if defined(TUTTI_MUST_BUILD)
  const auto step = [](float& parameter, float gradient) { parameter -= gradient; };
#else
  const auto step = [](float& parameter) { parameter /= 2; };
#endif
  auto update = tutti::reduce_scatter(tutti::avg{}) | tutti::transform(step) | tutti::all_gather();
  update(comm, gradients, parameters);
}
