// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../buffers.hpp"
#include "../offer.hpp"
#include "gpu.hpp"

namespace perf {

/// A number of calls, one after the other, as a CUDA graph.
class graph {
 public:
  /// Collective. What is set up at a first call must be there: it isn't captured.
  graph(gpu& on, const candidate& algorithm, const raw_operands& given, int calls) : on_(on) {
    cudaGraph_t captured = nullptr;
    on.expect(cudaStreamBeginCapture(on.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int i = 0; i < calls; ++i) algorithm.call(&on, given);
    on.expect(cudaStreamEndCapture(on.stream(), &captured), "cudaStreamEndCapture");
    const cudaError_t result = cudaGraphInstantiate(&ready_, captured, 0);
    cudaGraphDestroy(captured);
    on.expect(result, "cudaGraphInstantiate");
    on.expect(cudaGraphUpload(ready_, on.stream()), "cudaGraphUpload");
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  ~graph() {
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
  }

  void replay() const { on_.expect(cudaGraphLaunch(ready_, on_.stream()), "cudaGraphLaunch"); }

 private:
  gpu& on_;
  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace perf
