// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One signature for all collectives: what differs between the calls of a row is the algorithm and the chunking.

#include "suite.hpp"

#include <span>

namespace conformance {

/// reduce_scatter | transform | all_gather is a collective of its own to the suite.
struct pipe {
  static constexpr const char* name = "reduce_scatter | transform | all_gather";
};

template <class Collective>
struct front_door;

template <>
struct front_door<tutti::collective::all_reduce> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op& op, int,
                   bool in_place) {
    if (in_place)
      tutti::all_reduce(comm, out, op, value_of<Algorithm>(), Chunking{});
    else
      tutti::all_reduce(comm, in, out, op, Chunking{}, value_of<Algorithm>());  // options in any order
  }
};

template <>
struct front_door<tutti::collective::reduce> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op& op, int root,
                   bool in_place) {
    if (in_place)
      tutti::reduce(comm, out, op, root, value_of<Algorithm>(), Chunking{});
    else
      tutti::reduce(comm, in, out, op, root, value_of<Algorithm>(), Chunking{});
  }
};

template <>
struct front_door<tutti::collective::reduce_scatter> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op& op, int, bool) {
    tutti::reduce_scatter(comm, in, out, op, value_of<Algorithm>(), Chunking{});
  }
};

template <>
struct front_door<tutti::collective::broadcast> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type>, std::span<Type> out, const Op&, int root, bool) {
    tutti::broadcast(comm, out, root, value_of<Algorithm>(), Chunking{});
  }
};

template <>
struct front_door<tutti::collective::all_gather> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op&, int, bool in_place) {
    if (in_place)
      tutti::all_gather(comm, tutti::in_place(out), value_of<Algorithm>(), Chunking{});
    else
      tutti::all_gather(comm, in, out, value_of<Algorithm>(), Chunking{});
  }
};

template <>
struct front_door<tutti::collective::gather> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op&, int root, bool) {
    tutti::gather(comm, in, out, root, value_of<Algorithm>(), Chunking{});
  }
};

template <>
struct front_door<tutti::collective::scatter> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op&, int root, bool) {
    tutti::scatter(comm, in, out, root, Chunking{}, value_of<Algorithm>());
  }
};

template <>
struct front_door<tutti::collective::all_to_all> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op&, int, bool) {
    tutti::all_to_all(comm, in, out, value_of<Algorithm>(), Chunking{});
  }
};

template <>
struct front_door<tutti::collective::scan> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op& op, int,
                   bool in_place) {
    if (in_place)
      tutti::scan(comm, out, op, value_of<Algorithm>(), Chunking{});
    else
      tutti::scan(comm, in, out, op, value_of<Algorithm>(), Chunking{});
  }
};

template <>
struct front_door<tutti::collective::exclusive_scan> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op& op, int,
                   bool in_place) {
    if (in_place)
      tutti::exclusive_scan(comm, out, op, value_of<Algorithm>(), Chunking{});
    else
      tutti::exclusive_scan(comm, in, out, op, value_of<Algorithm>(), Chunking{});
  }
};

template <>
struct front_door<pipe> {
  template <class Algorithm, class Chunking, class Communicator, class Type, class Op>
  static void call(Communicator& comm, std::span<const Type> in, std::span<Type> out, const Op& op, int,
                   bool in_place) {
    const auto algorithm = value_of<Algorithm>();
    if (in_place) {
      auto step = tutti::reduce_scatter(op, Chunking{}, algorithm) |
                  tutti::transform([](Type& value) { value = Type(value + 7); }) | tutti::all_gather();
      step(comm, out);
    } else {
      auto step =
          tutti::reduce_scatter<std::remove_cv_t<decltype(algorithm)>, Chunking>(op, algorithm) |
          tutti::transform([](Type& parameter, const Type& gradient) { parameter = Type(parameter - gradient); }) |
          tutti::all_gather();
      step(comm, in, out);
    }
  }
};

/// A call with all but its arguments chosen.
template <class Communicator, class Type, class Op>
struct row {
  const char* algorithm;
  const char* chunking;
  void (*call)(Communicator&, std::span<const Type> in, std::span<Type> out, const Op&, int root, bool in_place);
};

template <class Collective>
using served_tag = std::conditional_t<std::is_same_v<Collective, pipe>, tutti::collective::reduce_scatter, Collective>;

/// All algorithms of a list that serve this collective with this type and operator, with all chunkings.
template <class Collective, class Communicator, class Type, class Op, class... Algorithms, class... Chunkings>
std::vector<row<Communicator, Type, Op>> rows(list<Algorithms...>, list<Chunkings...>) {
  std::vector<row<Communicator, Type, Op>> made;
  const auto add = [&]<class Algorithm, class Chunking>(list<Algorithm, Chunking>) {
    if constexpr (is_tried<Communicator, Algorithm> &&
                  serves<Communicator, Algorithm, served_tag<Collective>, Type, Op>())
      made.push_back({Algorithm::name, Chunking::name,
                      &front_door<Collective>::template call<Algorithm, Chunking, Communicator, Type, Op>});
  };
  const auto add_all = [&]<class Algorithm>(list<Algorithm>) { (add(list<Algorithm, Chunkings>{}), ...); };
  (add_all(list<Algorithms>{}), ...);
  return made;
}

}  // namespace conformance
