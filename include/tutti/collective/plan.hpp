// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/operation.hpp>
#include <tutti/core/request.hpp>
#include <tutti/engine/record.hpp>

#include <utility>

namespace tutti {

/// Calls that are prepared once and run many times, on the same memory: no checks, no choice of algorithm, no
/// allocation any more. Made by tutti::plan; must not outlive its communicator or the ranges of its calls.
class prepared_calls {
 public:
  explicit prepared_calls(detail::operation* first) : first_(first) {}
  prepared_calls(prepared_calls&& other) noexcept : first_(std::exchange(other.first_, nullptr)) {}
  prepared_calls& operator=(prepared_calls&& other) noexcept {
    std::swap(first_, other.first_);
    return *this;
  }
  ~prepared_calls() {
    while (first_ != nullptr) std::exchange(first_, first_->sibling)->dispose();
  }

  /// Runs the calls one after the other. All ranks of the communicator, in the same order of operations.
  void run() {
    for (auto* one = first_; one != nullptr; one = one->sibling) one->run_again();
  }
  /// Issues them behind what is pending; wait or test before the next start or run.
  void start() {
    for (auto* one = first_; one != nullptr; one = one->sibling) {
      one->restart();
      one->enqueue();
    }
  }
  void wait() {
    for (auto* one = first_; one != nullptr; one = one->sibling) one->finish(-1);
  }
  bool test() {
    for (auto* one = first_; one != nullptr; one = one->sibling)
      if (!one->finish(0)) return false;
    return true;
  }

 private:
  detail::operation* first_;
};

/// Prepares what calls(comm) calls on its argument, instead of running it; ranges must outlive the plan.
///     auto step = tutti::plan(world, [&](auto& comm) { tutti::all_reduce(comm, gradients, tutti::avg{}); });
///     for (...) step.run();
template <class Communicator, class Calls>
[[nodiscard]] prepared_calls plan(Communicator& comm, Calls&& calls) {
  detail::recorder<Communicator> record(comm);
  calls(record);
  return prepared_calls(record.take_all());
}

}  // namespace tutti
