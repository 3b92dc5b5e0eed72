// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

namespace tutti::detail {

/// Keeps other threads away as long as it lives; null: there are none. <mutex> is more than all users should pay for.
class held_mutex {
 public:
  explicit held_mutex(pthread_mutex_t* mutex) : mutex_(mutex) {
    if (mutex_ != nullptr) pthread_mutex_lock(mutex_);
  }
  held_mutex(const held_mutex&) = delete;
  held_mutex& operator=(const held_mutex&) = delete;
  ~held_mutex() {
    if (mutex_ != nullptr) pthread_mutex_unlock(mutex_);
  }

 private:
  pthread_mutex_t* mutex_;
};

}  // namespace tutti::detail
