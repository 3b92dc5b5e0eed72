// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/groups.hpp>
#include <tutti/transport/shared_member.hpp>

#include <vector>

#include <pthread.h>

namespace tutti::threads {

/// One rank a thread of this process. The same protocol as shm: what the sanitizers see here holds there.
class communicator : public detail::grouping<communicator, tutti::detail::shared_member> {
 public:
  static constexpr const char* transport_name = "threads";

  communicator(const detail::region& where, int rank, int size) : grouping(where, rank, size) {}
  communicator(const communicator& parent, detail::membership&& group)
      : grouping(parent, static_cast<detail::membership&&>(group)) {}
};

namespace detail {

/// Address space, not memory: the world, and room for a duplicate, which the heap rounds up to a power of two.
constexpr std::size_t capacity(int size) {
  const std::size_t least = std::size_t(64) << 30, wished = 4 * tutti::detail::shared_world::bytes(size);
  return wished < least ? least : wished;
}

template <class Function>
void run_rank(const tutti::detail::region& where, int rank, int size, Function& function) {
  const tutti::detail::shared_world world(where, size);
#if TUTTI_EXCEPTIONS
  try {
    communicator comm(where, rank, size);
    function(comm);
    world.set_state(rank, tutti::detail::rank_state::left);
  } catch (const error& failure) {
    world.record_failure(failure.code(), rank, failure.what());
  } catch (const std::exception& failure) {
    world.record_failure(errc::peer_failed, rank, failure.what());
  } catch (...) {
    world.record_failure(errc::peer_failed, rank, "threw something that is no std::exception");
  }
#else
  communicator comm(where, rank, size);
  function(comm);
  world.set_state(rank, tutti::detail::rank_state::left);
#endif
}

template <class Function>
struct thread_start {
  const tutti::detail::region* where;
  int rank, size;
  Function* function;
  pthread_t thread;
  static void* entry(void* self) {
    auto& start = *static_cast<thread_start*>(self);
    run_rank(*start.where, start.rank, start.size, *start.function);
    return nullptr;
  }
};

}  // namespace detail

/// Runs function(communicator&) on size threads and waits for all. Throws the first failure of a rank.
template <class Function>
  requires requires(Function& function, communicator& comm) { function(comm); }
void launch(int size, Function&& function) {
  if (size < 1) tutti::detail::fail(errc::bad_argument, -1, "threads::launch: size is %d, at least 1 expected", size);
  const auto where = tutti::detail::region::anonymous(detail::capacity(size));
  tutti::detail::shared_world world(where, size);
  world.create(0);
  using start = detail::thread_start<std::remove_reference_t<Function>>;
  std::vector<start> ranks(std::size_t(size), start{&where, 0, size, &function, {}});
  int started = 1;
  for (; started < size; ++started) {
    ranks[std::size_t(started)].rank = started;
    if (const int reason =
            pthread_create(&ranks[std::size_t(started)].thread, nullptr, start::entry, &ranks[std::size_t(started)]);
        reason != 0) {
      char text[160];
      std::snprintf(text, sizeof text, "threads::launch: can't start thread %d of %d: %s", started, size,
                    std::strerror(reason));
      world.record_failure(errc::resource, started, text);
      break;
    }
  }
  detail::run_rank(where, 0, size, function);  // rank 0 is the calling thread
  for (int rank = 1; rank < started; ++rank) pthread_join(ranks[std::size_t(rank)].thread, nullptr);
  const auto& failure = world.failure();
  if (failure.published != 0)
    tutti::detail::fail(errc(failure.published - 1), failure.rank, "rank %d failed: %s", failure.rank, failure.text);
}

}  // namespace tutti::threads
