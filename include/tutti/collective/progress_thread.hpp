// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>

#include <atomic>
#include <cstring>

#include <pthread.h>

namespace tutti {

/// As long as it lives, a thread of its own moves the requests of one communicator, so that they run while this rank
/// computes. It wants a core. Calls go on as before: they take turns with the thread. One rank may have it, others not.
/// Nothing may be pending when it is made. Errors of requests show where they are waited for.
template <class Communicator>
class progress_thread {
 public:
  explicit progress_thread(Communicator& comm) : comm_(comm) {
    if (!comm.queue().empty())
      detail::fail(errc::bad_argument, comm.rank(), "progress_thread on rank %d: requests are pending, expected none",
                   comm.rank());
    comm.let_help(true);
    if (const int reason = pthread_create(&thread_, nullptr, run, this); reason != 0) {
      comm.let_help(false);
      detail::fail(errc::resource, comm.rank(), "progress_thread on rank %d: no thread: %s", comm.rank(),
                   std::strerror(reason));
    }
  }
  progress_thread(const progress_thread&) = delete;
  progress_thread& operator=(const progress_thread&) = delete;
  /// What is still pending is finished by whoever waits for it.
  ~progress_thread() {
    leaves_.store(true, std::memory_order_release);
    comm_.ring();
    pthread_join(thread_, nullptr);
    comm_.let_help(false);
  }

 private:
  static void* run(void* self) {
    auto& me = *static_cast<progress_thread*>(self);
    while (!me.leaves_.load(std::memory_order_acquire)) {
#if TUTTI_EXCEPTIONS
      try {
        me.comm_.help(period);
      } catch (...) {  // the request has it, and the world knows
        me.comm_.await_ring(me.comm_.rings(), period);
      }
#else
      me.comm_.help(period);
#endif
    }
    return nullptr;
  }
  static constexpr std::int64_t period = 10000000;  // ns between two looks at leaves_

  Communicator& comm_;
  std::atomic<bool> leaves_{false};
  pthread_t thread_{};
};

}  // namespace tutti
