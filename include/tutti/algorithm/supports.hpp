// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/concepts.hpp>
#include <tutti/engine/on_stream.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/schedule/collective.hpp>

namespace tutti {
namespace detail {

template <class Algorithm, class Collective>
constexpr bool has_schedule() {
  if constexpr (composition<Algorithm>)
    return Algorithm::template serves<Collective>;
  else
    return requires { Algorithm::schedule(Collective{}); };
}
template <class Algorithm, class Collective>
inline constexpr bool serves_collective = has_schedule<Algorithm, Collective>();

/// An algorithm may need more of a communicator than messages.
template <class Algorithm, class Communicator>
constexpr bool works_on() {
  if constexpr (stream_transport<Communicator> && composition<Algorithm>)  // groups have no streams
    return requires { typename Algorithm::tutti_library_call; };
  else if constexpr (requires { Algorithm::template works_on<Communicator>; })
    return Algorithm::template works_on<Communicator>;
  else
    return true;
}

template <class Communicator, class Algorithm, class Collective, class Element, class Op>
constexpr bool supported() {
  if constexpr (!any_transport<Communicator> || !algorithm<Algorithm>)
    return false;
  else if constexpr (!serves_collective<Algorithm, Collective> || !works_on<Algorithm, Communicator>())
    return false;
  else if constexpr (stream_transport<Communicator> && composition<Algorithm>)
    return stream_engine<Communicator>::template has_native<Collective, Element, Op>();
  else if constexpr (Collective::reduces)
    return reduction_op<Op, Element> && (Algorithm::rank_order || is_commutative<Op>);
  else
    return true;
}

}  // namespace detail

/// True where this algorithm serves this collective on this communicator with this element and operator.
/// Tags of tutti::collective; void as Op where nothing is reduced.
template <class Communicator, class Algorithm, class Collective, class Element, class Op = void>
inline constexpr bool supports = detail::supported<Communicator, Algorithm, Collective, Element, Op>();

}  // namespace tutti
