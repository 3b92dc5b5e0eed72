// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Floating point: the same bits on all ranks and on every run; a serial fold in rank order where the algorithm
// says rank order; NaN and the sign of zero.

#include "operators.hpp"
#include "trial.hpp"

#include <cmath>
#include <limits>

namespace conformance {

/// Any finite floats, of very different size.
inline float rough(int rank, std::size_t i) {
  const std::uint64_t bits = scramble(std::uint64_t(rank) + 77, i);
  return std::ldexp(float(int(bits % 20001) - 10000), int((bits >> 32) % 40) - 20);
}
/// The case of ompi PR#12258: each order of these has another sum.
inline float cancelling(int rank, std::size_t i) {
  constexpr float values[] = {1e8f, 1, -1e8f, 1};
  return values[(std::size_t(rank) + i / 7) % 4];
}

template <class Communicator>
call_site float_site(Communicator& comm, const char* collective, const char* algorithm, const char* chunking,
                     std::size_t count) {
  return {Communicator::transport_name,
          collective,
          algorithm,
          chunking,
          "sum",
          "float",
          comm.size(),
          comm.rank(),
          0,
          count,
          false};
}

/// Rank 0's bits, brought by a broadcast, which other parts of the suite test.
template <class Communicator>
void expect_same_bits_everywhere(Communicator& comm, const call_site& at, const std::vector<float>& found) {
  std::vector<float> first = found;
  tutti::broadcast(comm, first, 0, tutti::direct{});
  if (!found.empty() && std::memcmp(first.data(), found.data(), found.size() * sizeof(float)) != 0)
    fail(at, "other bits than on rank 0");
}

/// These keep the order of the ranks, not the brackets of a fold from the left.
template <class Algorithm>
inline constexpr bool brackets_otherwise =
    std::is_same_v<Algorithm, tutti::tree> || std::is_same_v<Algorithm, tutti::recursive_doubling> ||
    std::is_same_v<Algorithm, tutti::halving_doubling> || std::is_same_v<Algorithm, tutti::double_binary_tree>;

template <class Algorithm>
constexpr bool promises_rank_order() {
  using type = decltype(value_of<Algorithm>());
  if constexpr (std::is_same_v<type, tutti::automatic>)
    return true;  // where memory is shared: one_phase or direct
  else if constexpr (requires { type::rank_order; })
    return type::rank_order && !brackets_otherwise<type>;
  else
    return false;
}

template <class Communicator, class Value, class... Algorithms, class... Chunkings>
void cover_float_sums(Communicator& comm, Value&& value, const std::vector<std::size_t>& counts, list<Algorithms...>,
                      list<Chunkings...>) {
  for (const std::size_t count : counts) {
    std::vector<float> own(count), serial(count);
    for (std::size_t i = 0; i < count; ++i) {
      own[i] = value(comm.rank(), i);
      serial[i] = value(0, i);
      for (int rank = 1; rank < comm.size(); ++rank) serial[i] = serial[i] + value(rank, i);
    }
    const auto one = [&]<class Algorithm, class Chunking>(list<Algorithm, Chunking>) {
      const auto at = float_site(comm, "all_reduce", Algorithm::name, Chunking::name, count);
      std::vector<float> once(count), again = own;
      tutti::all_reduce(comm, own, once, tutti::sum{}, value_of<Algorithm>(), Chunking{});
      tutti::all_reduce(comm, again, tutti::sum{}, value_of<Algorithm>(), Chunking{});
      const std::size_t bytes = count * sizeof(float);
      if (bytes != 0 && std::memcmp(once.data(), again.data(), bytes) != 0)
        fail(at, "other bits when run again in place");
      expect_same_bits_everywhere(comm, at, once);
      if constexpr (promises_rank_order<Algorithm>()) {
        if (bytes != 0 && std::memcmp(once.data(), serial.data(), bytes) != 0)
          fail(at, "other bits than the fold in rank order");
        std::vector<float> rooted(count);
        const int root = comm.size() - 1;
        tutti::reduce(comm, own, rooted, tutti::sum{}, root, value_of<Algorithm>(), Chunking{});
        if (bytes != 0 && comm.rank() == root && std::memcmp(rooted.data(), serial.data(), bytes) != 0)
          fail(float_site(comm, "reduce", Algorithm::name, Chunking::name, count),
               "other bits than the fold in rank order");
        const auto mine = tutti::shard(count, comm.size(), comm.rank());
        const auto part = tutti::reduce_scatter(comm, own, tutti::sum{}, value_of<Algorithm>(), Chunking{});
        if (mine.count != 0 && std::memcmp(part.data(), serial.data() + mine.first, mine.count * sizeof(float)) != 0)
          fail(float_site(comm, "reduce_scatter", Algorithm::name, Chunking::name, count),
               "other bits than the fold in rank order");
      }
    };
    const auto all = [&]<class Algorithm>(list<Algorithm>) { (one(list<Algorithm, Chunkings>{}), ...); };
    (all(list<Algorithms>{}), ...);
  }
}

template <class Transport>
void float_bits() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    const std::vector<std::size_t> some =
        reduced ? std::vector<std::size_t>{1, 67} : std::vector<std::size_t>{1, 4, 67, 1009, 100003};
    cover_float_sums(comm, rough, some, algorithms{}, list<by_default, in_chunks_of_256, in_three_chunks>{});
    cover_float_sums(comm, cancelling, {std::size_t(28)}, algorithms{}, list<by_default>{});
  });
}

/// NaN on each rank in turn, then zeros of both signs: the rule of min and max holds on every algorithm.
template <class Communicator, class... Algorithms>
void cover_extremes(Communicator& comm, list<Algorithms...>) {
  const int size = comm.size();
  const auto one = [&]<class Algorithm, class Op>(list<Algorithm>, Op op) {
    const std::size_t count = 3 * std::size_t(size);
    auto at = float_site(comm, "all_reduce", Algorithm::name, "default", count);
    at.op = Op::name;
    std::vector<float> values(count), zeros(count);
    for (std::size_t i = 0; i < count; ++i) {
      const bool here = i % (std::size_t(size) + 1) == std::size_t(comm.rank());  // index size: nobody has one
      values[i] = here ? std::numeric_limits<float>::quiet_NaN() : float(comm.rank());
      zeros[i] = (std::size_t(comm.rank()) + i) % 2 == 0 ? 0.0f : -0.0f;
    }
    tutti::all_reduce(comm, values, op, value_of<Algorithm>());
    tutti::all_reduce(comm, zeros, op, value_of<Algorithm>());
    for (std::size_t i = 0; i < count; ++i) {
      const bool somewhere = i % (std::size_t(size) + 1) < std::size_t(size);
      if (std::isnan(values[i]) != somewhere) fail(at, somewhere ? "a NaN was lost" : "a NaN came from nowhere");
      if (!(zeros[i] == 0)) fail(at, "zeros gave something else");
      if (promises_rank_order<Algorithm>() && std::signbit(zeros[i]) != (i % 2 != 0))
        fail(at, "of two zeros the left one must stay");
    }
    expect_same_bits_everywhere(comm, at, values);
    expect_same_bits_everywhere(comm, at, zeros);
  };
  (one(list<Algorithms>{}, tutti::min{}), ...);
  (one(list<Algorithms>{}, tutti::max{}), ...);
}

template <class Transport>
void float_extremes() {
  in_every_world<Transport>([](typename Transport::communicator& comm) { cover_extremes(comm, algorithms{}); });
}

}  // namespace conformance
