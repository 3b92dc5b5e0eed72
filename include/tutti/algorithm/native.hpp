// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/concepts.hpp>
#include <tutti/core/descriptor.hpp>
#include <tutti/engine/alone.hpp>
#include <tutti/engine/execute.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/engine/native.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/schedule/collective.hpp>

#include <type_traits>
#include <utility>

namespace tutti {
namespace detail {

/// The communicator that stands on the library: the one of all hosts, wherever the ranks are.
template <class Communicator>
auto& library_rank(Communicator& comm) {
  if constexpr (routing_transport<Communicator>)
    return comm.far();
  else
    return comm;
}

}  // namespace detail

/// Hands the call to the collective of the library below the communicator: over MPI, MPI_Allreduce and so on.
///
/// Which     every collective, barrier too. An operator that the library has, with the same bits, is the
///           library's: sum, prod and avg of numbers, min, max and the bitwise and logical ones of integers. Any other
///           one, of any element type, the library calls back: lambdas keep their state, and what doesn't commute is
///           folded in rank order. min and max of floats too, as a library needn't know what to do with a NaN.
/// Order     the library's, with an operator that commutes.
/// Counts    at most INT_MAX elements in the whole; more is errc::bad_argument on all ranks.
/// Waits     in the library: until it returns nothing else of this thread moves, not even where the call was issued as
///           a request or stands in a plan (then a step of it blocks). Calls on several communicators must be in one
///           order on all ranks that share them.
/// NCCL      On a stream (tutti::nccl) the call is NCCL's, of NCCL's operators and types alone; see
///           engine/device/native_nccl.hpp. It returns at once, as all calls there.
/// Checks    none. Ranks that call different things, and ranks that have died, are the library's to notice; MPI waits.
///           The forms in which the ranks bring their counts (gather, scatter, ..._v) compare those first, as always.
struct native {
  using tutti_composition = native;
  using tutti_library_call = native;
  static constexpr const char* name = "native";
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_runs = false;  // MPI recommends it, no more

  template <class Collective>
  static constexpr bool serves = !std::is_same_v<Collective, collective::barrier>;

  /// Communicators that stand on a library.
  template <class Communicator>
  static constexpr bool works_on = requires(const Communicator& comm) {
    comm.native_handle();
  };

  template <class Chunking, bool Commutes, class Collective, class Communicator, class Reduction>
  static void compose(Communicator& comm, Collective, detail::operands<typename Reduction::element>& given,
                      const Reduction& op) {
    if constexpr (stream_transport<Communicator>) {
      using call_op = typename detail::made_of<Reduction>::op;
      detail::stream_engine<Communicator>::template run_native<Collective, call_op>(comm, std::move(given), op);
    } else if constexpr (stands_on_library<detail::base_communicator<Communicator>>()) {
      using call_op = typename detail::made_of<Reduction>::op;
      auto& rank = detail::library_rank(detail::base_of(comm));
      using on = std::remove_reference_t<decltype(rank)>;
      using executor = typename library<on>::template executor<on, Collective, Reduction, call_op, Commutes>;
      if (comm.size() == 1)
        return detail::run_executor<detail::alone_executor<Collective, Reduction>>(comm, op, std::move(given));
      static constexpr auto call = detail::signature_of<Collective, typename Reduction::element, call_op, native>();
      detail::run_executor<executor>(comm, rank, call, op, std::move(given));
    }
  }

  /// What tutti::barrier runs.
  template <class Communicator>
  static void meet(Communicator& comm) {
    if constexpr (stands_on_library<detail::base_communicator<Communicator>>()) {
      auto& rank = detail::library_rank(detail::base_of(comm));
      using on = std::remove_reference_t<decltype(rank)>;
      using executor = typename library<on>::template barrier<on>;
      static constexpr auto call = detail::signature_of<collective::barrier, char, native, native>();
      detail::run_executor<executor>(comm, rank, call);
    }
  }

 private:
  /// Advice, before anything else is instantiated.
  template <class Communicator>
  static constexpr bool stands_on_library() {
    static_assert(works_on<Communicator>,
                  "tutti: native hands the call to the library below the communicator, and this one stands on none; "
                  "use tutti::mpi, or another algorithm");
    return works_on<Communicator>;
  }
  template <class Communicator>
  using library =
      detail::native_library<std::remove_cvref_t<decltype(std::declval<const Communicator&>().native_handle())>>;
};

}  // namespace tutti
