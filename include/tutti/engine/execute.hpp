// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/chunking.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/core/error.hpp>
#include <tutti/engine/schedule_executor.hpp>
#include <tutti/engine/shared_executor.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

#if TUTTI_PROVE
#  include <tutti/schedule/verify.hpp>
#endif

#include <type_traits>

namespace tutti::detail {

/// What a collective hands to the engine: the vector of count elements and where this rank's parts are.
template <class Element>
struct operands {
  const Element* input = nullptr;
  Element* result = nullptr;  // from element result_first on; null where this rank gets none
  std::size_t result_first = 0;
  std::size_t count = 0;
  int root = 0;
  bool in_place = false;
  bool whole_result = false;  // result has room for all count elements
};

/// A world of one: nothing travels, but the operator still sees the elements.
template <class Collective, class Reduction, class Memory>
void execute_alone(const Reduction& op, const Memory& where) {
  if constexpr (Collective::reduces)
    fold_loops<Reduction>{op, 1}.store(where.input, form::input, where.result, form::final, where.count);
}

/// Runs one collective with one algorithm to its end: by loads and stores where both the communicator and
/// the algorithm can, else by messages.
template <class Algorithm, class Chunking, class Collective, class Communicator, class Reduction>
void execute(Communicator& comm, Collective, const operands<typename Reduction::element>& given, const Reduction& op,
             const call_signature& call) {
  using element = typename Reduction::element;
  using accumulator = typename Reduction::accumulator;
  storage<element, accumulator> where{given.input, nullptr, given.result, given.result_first, given.count};
  if (comm.size() == 1) return execute_alone<Collective>(op, where);

  if constexpr (Communicator::load_store && requires { Algorithm::shared(Collective{}); }) {
    using executor = shared_executor<Communicator, Reduction, Algorithm::shared(Collective{})>;
    const std::size_t block = partition(given.count, executor::blocks(comm.size())).largest();
    const std::size_t longest = executor::longest_chunk(comm.size());
    if (longest == 0)
      fail(errc::bad_argument, comm.rank(),
           "%s on rank %d: an element has %zu bytes; %zu fit into shared memory for %d ranks", Collective::name,
           comm.rank(), sizeof(element), Communicator::stage_bytes() / std::size_t(comm.size()), comm.size());
    const std::size_t wished = Chunking::elements(block, sizeof(element));
    const std::size_t chunk = wished < longest ? wished : longest;
    executor run(comm, describe(call, given.count, sizeof(element), chunk, given.root), op, where, chunk, given.root);
    comm.drive([&run] { return run.step(); });
  } else {
    using schedule_type = decltype(Algorithm::schedule(Collective{}));
#if TUTTI_PROVE
    static_assert(verify<Algorithm, Collective>);
#endif
    constexpr std::size_t widest = sizeof(element) > sizeof(accumulator) ? sizeof(element) : sizeof(accumulator);
    constexpr std::size_t longest = Communicator::max_message() / widest;
    static_assert(longest > 0, "tutti: an element (or accumulator) must fit into one message of this transport");
    if constexpr (Collective::reduces) {
      if constexpr (std::is_same_v<element, accumulator>) {
        if (partial_in_result<schedule_type>(true, given.whole_result, given.in_place)) where.partial = given.result;
      }
      if (where.partial == nullptr)
        where.partial = static_cast<accumulator*>(comm.scratch(given.count * sizeof(accumulator)));
    }
    const std::size_t block = partition(given.count, schedule_type::blocks(comm.size())).largest();
    const std::size_t wished = Chunking::elements(block, widest);
    const std::size_t chunk = wished < longest ? wished : longest;
    schedule_executor<Communicator, schedule_type, Reduction> run(
        comm, describe(call, given.count, sizeof(element), chunk, given.root), op, where, chunk, given.root);
    comm.drive([&run] { return run.step(); });
  }
}

}  // namespace tutti::detail
