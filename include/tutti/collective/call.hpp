// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/algorithm/automatic.hpp>
#include <tutti/algorithm/supports.hpp>
#include <tutti/core/buffer.hpp>
#include <tutti/core/chunking.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/determinism.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/message_model.hpp>
#include <tutti/engine/execute.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/op/reduction.hpp>

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti {

/// What a call takes behind its arguments, in any order: an algorithm (or a choice of one), a chunking, and what it
/// wants of the bits.
template <class Type>
concept call_option = algorithm<Type> || algorithm_choice<Type> || chunking_policy<Type> || determinism_request<Type>;

/// An operator is never a range, a root, an option: that tells the overloads apart.
template <class Type>
concept operator_like = !contiguous_range<Type> && !call_option<Type> && !std::is_arithmetic_v<Type>;

namespace detail {

template <class Type>
concept algorithm_option = algorithm<Type> || algorithm_choice<Type>;

// ---- advice for calls that can't be, before anything else of them is instantiated -----------------------

template <class Communicator>
constexpr bool can_call() {
  constexpr bool is_one = any_transport<base_communicator<Communicator>>;
  static_assert(is_one, "tutti: the first argument must be a communicator of tutti");
  return is_one;
}
template <class Communicator, class In>
constexpr bool can_read() {
  constexpr bool bytes = std::is_trivially_copyable_v<element_of<In>>;
  static_assert(bytes, "tutti: elements travel as bytes, so their type must be trivially copyable");
  return can_call<Communicator>() && bytes;
}
template <class Communicator, class Out>
constexpr bool can_write() {
  static_assert(writable_range<Out>,
                "tutti: this range is const, and the result goes there; give the call another range for it");
  return can_read<Communicator, Out>() && writable_range<Out>;
}
template <class Communicator, class In, class Out>
constexpr bool can_read_and_write() {
  constexpr bool same = std::same_as<element_of<In>, element_of<Out>>;
  static_assert(same, "tutti: both ranges must have the same element type");
  return can_write<Communicator, Out>() && same;
}

/// What calls without an output range return.
template <class Element>
struct returned {
  static_assert(!std::is_same_v<Element, bool>,
                "tutti: std::vector<bool> keeps bits, not elements; give the call an output range of bool");
  using type = std::vector<Element>;
};
template <class Element>
using returned_vector = typename returned<Element>::type;

// The option of a kind among the arguments, else the template argument.
template <class Fallback>
constexpr Fallback choose_algorithm() {
  return {};
}
template <class Fallback, class First, class... Rest>
constexpr auto choose_algorithm(const First& first, const Rest&... rest) {
  if constexpr (algorithm_option<First>) {
    static_assert((!algorithm_option<Rest> && ...), "tutti: a call takes one algorithm");
    return first;
  } else {
    return choose_algorithm<Fallback>(rest...);
  }
}
template <class Fallback>
constexpr Fallback choose_chunking() {
  return {};
}
template <class Fallback, class First, class... Rest>
constexpr auto choose_chunking(const First&, const Rest&... rest) {
  if constexpr (chunking_policy<First>) {
    static_assert((!chunking_policy<Rest> && ...), "tutti: a call takes one chunking policy");
    return First{};
  } else {
    return choose_chunking<Fallback>(rest...);
  }
}

template <class Element>
struct no_op {
  static constexpr const char* name = "none";
};

/// A choice by what was measured in this run may be another in the next.
template <class Communicator>
void expect_repeatable_choice(const Communicator& comm, const char* collective) {
  if constexpr (routing_transport<Communicator>) {
    expect_repeatable_choice(comm.far(), collective);
  } else if constexpr (requires { comm.model_origin(); }) {
    if (comm.model_origin().from == guide::origin::measured)
      fail(errc::bad_argument, comm.rank(),
           "%s on rank %d: run_to_run can't be kept, as automatic goes by a model measured in this run (tune); give it "
           "as TUTTI_MODEL=%s or name an algorithm",
           collective, comm.rank(), comm.model().to_text().c_str());
  }
}

/// The advice that a wrong combination gets, then the run.
template <class Collective, class Chunking, class Communicator, class Algorithm, class Reduction, class Op>
void run_one(Communicator& comm, Algorithm, operands<typename Reduction::element>&& given, const Reduction& op) {
  static_assert(serves_collective<Algorithm, Collective>, "tutti: this algorithm doesn't serve this collective");
  static_assert(!Collective::reduces || Algorithm::rank_order || is_commutative<Op>,
                "tutti: this algorithm (ring, ...) folds out of rank order; wrap the operator in "
                "tutti::commutative(op), or use direct, tree or one_phase");
  if constexpr (serves_collective<Algorithm, Collective> &&
                (!Collective::reduces || Algorithm::rank_order || is_commutative<Op>)) {
    if constexpr (stream_transport<Communicator> && !works_on<Algorithm, Communicator>()) {
      static_assert(
          works_on<Algorithm, Communicator>(),
          "tutti: this algorithm is made of calls on groups of ranks, which streams don't have; use another one");
    } else if constexpr (composition<Algorithm>) {
      Algorithm::template compose<Chunking, is_commutative<Op>>(comm, Collective{}, given, op);
    } else {
      static constexpr auto call = signature_of<Collective, typename Reduction::element, Op, Algorithm>();
      execute<Algorithm, Chunking>(comm, Collective{}, std::move(given), op, call);
    }
  }
}

template <class Collective, class Algorithm, class Chunking, class Communicator, class Element, class Op,
          class Reduction, class... Options>
void run_with(Communicator& comm, operands<Element>&& given, const Reduction& op, const Options&... options) {
  const auto chosen = choose_algorithm<Algorithm>(options...);
  static_assert(
      !Collective::reduces || (grants<std::remove_cvref_t<decltype(chosen)>, Options> && ...),
      "tutti: this algorithm (ring, circulant, ...) folds an element in an order that depends on its place and "
      "on the length; for size_invariant use direct, one_phase, aggregator, tree or recursive_doubling");
  using chunking = decltype(choose_chunking<Chunking>(options...));
  if constexpr (algorithm_choice<std::remove_cvref_t<decltype(chosen)>> &&
                (std::same_as<Options, run_to_run_request> || ...))
    expect_repeatable_choice(base_of(comm), Collective::name);
  if constexpr (algorithm_choice<std::remove_cvref_t<decltype(chosen)>>)
    chosen.template resolve<base_communicator<Communicator>, Collective, Element, Op>(
        base_of(comm), given.count, [&](auto algorithm) {
          run_one<Collective, chunking, Communicator, decltype(algorithm), Reduction, Op>(comm, algorithm,
                                                                                          std::move(given), op);
        });
  else
    run_one<Collective, chunking, Communicator, std::remove_cvref_t<decltype(chosen)>, Reduction, Op>(
        comm, chosen, std::move(given), op);
}

template <class Collective, class Algorithm, class Chunking, class Communicator, class Element, class Op,
          class... Options>
void run_reduction(Communicator& comm, operands<Element>&& given, const Op& op, const Options&... options) {
  static_assert(reduction_op<Op, Element>,
                "tutti: the operator can't fold this element type: it needs op(element, element) -> element, or lift, "
                "combine and lower");
  if constexpr (reduction_op<Op, Element>)
    run_with<Collective, Algorithm, Chunking, Communicator, Element, Op>(comm, std::move(given),
                                                                         reduction<Op, Element>{op}, options...);
}

template <class Collective, class Algorithm, class Chunking, class Communicator, class Element, class... Options>
void run_movement(Communicator& comm, operands<Element>&& given, const Options&... options) {
  run_with<Collective, Algorithm, Chunking, Communicator, Element, no_op<Element>>(comm, std::move(given),
                                                                                   no_reduction<Element>{}, options...);
}

// ---- checks that every front door makes ---------------------------------------------------------------

template <class Communicator>
void expect_member(const Communicator& comm, const char* collective) {
  if (comm.size() == 0)
    fail(errc::bad_argument, -1, "%s on a communicator of a group that this process is not in", collective);
}

template <class Communicator>
void expect_root(const Communicator& comm, const char* collective, int root) {
  expect_member(comm, collective);
  if (root < 0 || root >= comm.size())
    fail(errc::bad_argument, comm.rank(), "%s on rank %d: root is %d, expected at least 0 and below the size %d",
         collective, comm.rank(), root, comm.size());
}

template <class Communicator>
void expect_length(const Communicator& comm, const char* collective, const char* argument, std::size_t found,
                   std::size_t expected) {
  if (found != expected)
    fail(errc::bad_argument, comm.rank(), "%s on rank %d: %s has %zu elements, expected %zu", collective, comm.rank(),
         argument, found, expected);
}

template <class Communicator, class First, class Second>
void expect_apart(const Communicator& comm, const char* collective, view<First> in, view<Second> out) {
  if (overlap(in, out))
    fail(errc::bad_argument, comm.rank(), "%s on rank %d: in [%p, %zu bytes] and out [%p, %zu bytes] overlap",
         collective, comm.rank(), static_cast<const void*>(in.data), in.count * sizeof(First),
         static_cast<const void*>(out.data), out.count * sizeof(Second));
}

/// in and out of one length: the same memory is in place, partly the same is an error.
template <class Communicator, class Element>
bool same_or_apart(const Communicator& comm, const char* collective, view<const Element> in, view<Element> out) {
  if (in.data == out.data && in.count == out.count) return true;
  expect_apart(comm, collective, in, out);
  return false;
}

}  // namespace detail
}  // namespace tutti
