// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/chunking.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/engine/alone.hpp>
#include <tutti/engine/on_stream.hpp>
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

#include <concepts>
#include <type_traits>

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

/// The same on the road that a call takes (see routing_transport); else a communicator is its own road.
template <class Executor, class Communicator, class Road, class... Arguments>
void run_on_road(Communicator& comm, Road& road, Arguments&&... arguments) {
  if constexpr (requires { typename Communicator::tutti_recorder; })
    comm.template keep_on<Executor>(road, static_cast<Arguments&&>(arguments)...);
  else
    run_executor<Executor>(road, static_cast<Arguments&&>(arguments)...);
}

/// Messages that are copied nowhere on their way cost more each, and may be longer.
template <class Communicator, class Chunking>
using chunking_for = std::conditional_t<posting_transport<Communicator> && std::same_as<Chunking, default_chunking>,
                                        chunked<512 * KiB>, Chunking>;

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

/// By loads and stores where both the communicator and the algorithm can, else by messages.
template <class Algorithm, class Chunking, class Collective, class Communicator, class Road, class Reduction>
void execute_on(Communicator& comm, Road& road, Collective, operands<typename Reduction::element>&& given,
                const Reduction& op, const call_signature& call) {
  using element = typename Reduction::element;
  using chunking = chunking_for<Road, Chunking>;
  if constexpr (Road::load_store && requires { Algorithm::shared(Collective{}); }) {
    using executor = shared_executor<Road, Collective, chunking, Reduction, Algorithm::shared(Collective{})>;
    run_on_road<executor>(comm, road, road, call, op, static_cast<operands<element>&&>(given));
  } else {
    using schedule_type = decltype(Algorithm::schedule(Collective{}));
    using executor = message_executor<Road, Collective, chunking, schedule_type, Reduction>;
#if TUTTI_PROVE
    static_assert(verify<Algorithm, Collective>);
#endif
    static_assert(Road::max_message() >= executor::widest,
                  "tutti: an element (or accumulator) must fit into one message of this transport");
    run_on_road<executor>(comm, road, road, call, op, static_cast<operands<element>&&>(given));
  }
}

template <class Algorithm, class Chunking, class Collective, class Communicator, class Reduction>
void execute_on_host(Communicator& comm, Collective tag, operands<typename Reduction::element>&& given,
                     const Reduction& op, const call_signature& call) {
  using element = typename Reduction::element;
  if (comm.size() == 1)
    return run_executor<alone_executor<Collective, Reduction>>(comm, op, static_cast<operands<element>&&>(given));
  auto& real = base_of(comm);
  const auto on = [&](auto& road) {
    execute_on<Algorithm, Chunking>(comm, road, tag, static_cast<operands<element>&&>(given), op, call);
  };
  if constexpr (routing_transport<base_communicator<Communicator>>)
    real.one_host() ? on(real.near()) : on(real.far());
  else
    on(real);
}

/// One collective with one algorithm.
template <class Algorithm, class Chunking, class Collective, class Communicator, class Reduction>
void execute(Communicator& comm, Collective tag, operands<typename Reduction::element>&& given, const Reduction& op,
             const call_signature& call) {
  using element = typename Reduction::element;
  using base = base_communicator<Communicator>;
  if constexpr (stream_transport<base>) {
    static_assert(
        std::same_as<base, Communicator>,
        "tutti: a call on a stream can't be recorded: it returns at once anyway; capture a CUDA graph for a plan");
    if constexpr (std::same_as<base, Communicator>)
      stream_engine<base>::template run<Algorithm, Chunking>(comm, tag, static_cast<operands<element>&&>(given), op,
                                                             call);
  } else {
    execute_on_host<Algorithm, Chunking>(comm, tag, static_cast<operands<element>&&>(given), op, call);
  }
}

}  // namespace tutti::detail
