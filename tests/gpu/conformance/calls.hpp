// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The collectives as they are called: one door for each, and tables of algorithms behind it.

#include "row.hpp"

#include <tutti/nccl.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace conformance {

/// A chunking policy that is chosen at run time, so that the engine is compiled once for all of them.
struct chosen_chunking {
  using tutti_chunking = chosen_chunking;
  static std::size_t elements(std::size_t block, std::size_t bytes) {
    switch (chosen_chunks) {
      case chunks::usual:
        return tutti::chunked<4 * tutti::MiB>::elements(block, bytes);
      case chunks::whole:
        return tutti::whole::elements(block, bytes);
      case chunks::of_1000_bytes:
        return tutti::chunked<1000>::elements(block, bytes);
      case chunks::uniform_1000_bytes:
        return tutti::uniform<1000>::elements(block, bytes);
      case chunks::of_64_KiB:
        return tutti::chunked<64 * tutti::KiB>::elements(block, bytes);
      case chunks::three:
        return tutti::pipelined<3>::elements(block, bytes);
    }
    return block;
  }
};
static_assert(tutti::chunking_policy<chosen_chunking>);

template <class Collective>
struct door {
  template <class Algorithm, class Chunking, class Type, class Op>
  static void call(stream_communicator& on, const job<Type>& one, const Type* from, Type* to, const Op& op) {
    const std::span<const Type> in(from, one.given.size());
    const std::span<Type> out(to, one.after.size());
    [[maybe_unused]] const int root = one.at.root;
    constexpr Algorithm algorithm{};
    constexpr Chunking chunking{};
    if constexpr (std::is_same_v<Collective, tag::all_reduce>) {
      if (one.in_place)
        tutti::all_reduce(on, out, op, algorithm, chunking);
      else
        tutti::all_reduce(on, in, out, op, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::reduce>) {
      if (one.in_place)
        tutti::reduce(on, out, op, root, algorithm, chunking);
      else
        tutti::reduce(on, in, out, op, root, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::scan>) {
      if (one.in_place)
        tutti::scan(on, out, op, algorithm, chunking);
      else
        tutti::scan(on, in, out, op, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::exclusive_scan>) {
      if (one.in_place)
        tutti::exclusive_scan(on, out, op, algorithm, chunking);
      else
        tutti::exclusive_scan(on, in, out, op, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::reduce_scatter>) {
      tutti::reduce_scatter(on, in, out, op, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::reduce_scatter_v>) {
      tutti::reduce_scatter_v(on, in, out, op, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::broadcast>) {
      tutti::broadcast(on, out, root, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::all_gather>) {
      if (one.in_place)
        tutti::all_gather(on, tutti::in_place(out), algorithm, chunking);
      else
        tutti::all_gather(on, in, out, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::all_gather_v>) {
      tutti::all_gather_v(on, in, out, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::gather>) {
      tutti::gather(on, in, out, root, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::gather_v>) {
      tutti::gather_v(on, in, out, root, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::scatter>) {
      tutti::scatter(on, in, out, root, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::scatter_v>) {
      tutti::scatter_v(on, in, out, root, algorithm, chunking);
    } else if constexpr (std::is_same_v<Collective, tag::all_to_all>) {
      tutti::all_to_all(on, in, out, algorithm, chunking);
    } else {
      static_assert(std::is_same_v<Collective, tag::all_to_all_v>);
      tutti::all_to_all_v(on, in, one.sent, out, one.received, algorithm, chunking);
    }
  }
};

/// True where the call compiles and means something: automatic always, NCCL's own where NCCL has it.
template <class Algorithm, class Collective, class Type, class Op>
constexpr bool serves() {
  if constexpr (std::is_same_v<Algorithm, tutti::automatic>)
    return true;
  else if constexpr (std::is_same_v<Algorithm, tutti::native>)
    return !Collective::prefix && (!Collective::reduces || (tutti::detail::nccl_type<Type>() != ncclNumTypes &&
                                                            tutti::detail::nccl_op<Op>() != ncclNumOps));
  else
    return tutti::supports<stream_communicator, Algorithm, Collective, Type, Op>;
}

template <class Algorithm>
inline constexpr bool goes_by_loads_and_stores =
    std::is_same_v<Algorithm, tutti::automatic> || std::is_same_v<Algorithm, tutti::one_phase> ||
    std::is_same_v<Algorithm, tutti::direct>;

template <class Collective, class Algorithm, class Chunking, class Type, class Op>
void add_row(std::vector<row<Type, Op>>& rows) {
  if (without_nccl && !goes_by_loads_and_stores<Algorithm>) return;
  if constexpr (serves<Algorithm, Collective, Type, Op>())
    rows.push_back(
        {Collective::name, Algorithm::name, &door<Collective>::template call<Algorithm, Chunking, Type, Op>});
}
/// Of these algorithms those that serve the collective.
template <class Collective, class Type, class Op, class... Algorithms>
std::vector<row<Type, Op>> rows_by() {
  std::vector<row<Type, Op>> rows;
  (add_row<Collective, Algorithms, tutti::default_chunking>(rows), ...);
  return rows;
}
/// Of all the house has, and native.
template <class Collective, class Type, class Op>
std::vector<row<Type, Op>> rows_by_all() {
  std::vector<row<Type, Op>> rows;
  tutti::every_algorithm::for_each(
      [&](auto algorithm) { add_row<Collective, decltype(algorithm), chosen_chunking>(rows); });
  add_row<Collective, tutti::native, chosen_chunking>(rows);
  return rows;
}

}  // namespace conformance
