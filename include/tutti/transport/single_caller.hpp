// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>

#include <atomic>

namespace tutti::detail {

/// A communicator is one thread's at a time. Debug builds (without NDEBUG) look: the second thread's call is refused
/// before it touches anything, and the first one's goes on. A call within a call of the same thread is no second one.
class single_caller {
 public:
  class call {
   public:
    call(single_caller& whose, int rank, bool takes_turns) : whose_(whose) {
      if (takes_turns) return;        // see turn_taking
      static thread_local char mark;  // its address is the thread's name
      const void* before = nullptr;
      outermost_ = whose_.thread_.compare_exchange_strong(before, &mark, std::memory_order_acq_rel);
      if (!outermost_ && before != &mark)
        fail(errc::bad_argument, rank,
             "a call on rank %d: another thread is in a call on the same communicator; give each thread a duplicate()",
             rank);
    }
    ~call() {
      if (outermost_) whose_.thread_.store(nullptr, std::memory_order_release);
    }
    call(const call&) = delete;
    call& operator=(const call&) = delete;

   private:
    single_caller& whose_;
    bool outermost_ = false;
  };

 private:
  std::atomic<const void*> thread_ = nullptr;
};

}  // namespace tutti::detail
