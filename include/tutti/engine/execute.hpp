// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/chunking.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/engine/alone.hpp>
#include <tutti/engine/posted_executor.hpp>
#include <tutti/engine/schedule_executor.hpp>
#include <tutti/engine/shared_executor.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

#if TUTTI_PROVE
#  include <tutti/schedule/verify.hpp>
#endif

#include <cstddef>

namespace tutti::detail {

/// Runs an executor on the communicator now; a recorder keeps it for later instead.
template <class Executor, class Communicator, class... Arguments>
void run_executor(Communicator& comm, Arguments&&... arguments) {
  if constexpr (requires { typename Communicator::tutti_recorder; }) {
    comm.template keep<Executor>(static_cast<Arguments&&>(arguments)...);
  } else {
    Executor run(static_cast<Arguments&&>(arguments)...);
    comm.drive([&run] { return run.step(); });
  }
}

template <class Communicator, class Collective, class Chunking, class Schedule, class Reduction>
struct executor_by_messages {
  using type = schedule_executor<Communicator, Collective, Chunking, Schedule, Reduction>;
};
template <posting_transport Communicator, class Collective, class Chunking, class Schedule, class Reduction>
struct executor_by_messages<Communicator, Collective, Chunking, Schedule, Reduction> {
  using type = posted_executor<Communicator, Collective, Chunking, Schedule, Reduction>;
};
template <class Communicator, class Collective, class Chunking, class Schedule, class Reduction>
using message_executor = typename executor_by_messages<Communicator, Collective, Chunking, Schedule, Reduction>::type;

/// One collective with one algorithm: by loads and stores where both the communicator and the algorithm can,
/// else by messages.
template <class Algorithm, class Chunking, class Collective, class Communicator, class Reduction>
void execute(Communicator& comm, Collective, operands<typename Reduction::element>&& given, const Reduction& op,
             const call_signature& call) {
  using element = typename Reduction::element;
  using base = base_communicator<Communicator>;
  base& real = base_of(comm);
  if (comm.size() == 1)
    return run_executor<alone_executor<Collective, Reduction>>(comm, op, static_cast<operands<element>&&>(given));

  if constexpr (base::load_store && requires { Algorithm::shared(Collective{}); }) {
    run_executor<shared_executor<base, Collective, Chunking, Reduction, Algorithm::shared(Collective{})>>(
        comm, real, call, op, static_cast<operands<element>&&>(given));
  } else {
    using schedule_type = decltype(Algorithm::schedule(Collective{}));
    using executor = message_executor<base, Collective, Chunking, schedule_type, Reduction>;
#if TUTTI_PROVE
    static_assert(verify<Algorithm, Collective>);
#endif
    static_assert(base::max_message() >= executor::widest,
                  "tutti: an element (or accumulator) must fit into one message of this transport");
    run_executor<executor>(comm, real, call, op, static_cast<operands<element>&&>(given));
  }
}

}  // namespace tutti::detail
