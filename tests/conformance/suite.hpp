// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The one list that drives everything: a new algorithm is one row here. A part of the suite (a file cover_*.hpp)
// says which operators, types and collectives meet which lists; threads_*.cpp and shm_*.cpp run the parts.

#include "world.hpp"

#include <cstddef>
#include <type_traits>
#include <vector>

namespace conformance {

template <class...>
struct list {};

/// The schedule of an algorithm that would otherwise run by loads and stores on these transports.
template <class Algorithm>
struct by_messages;
template <>
struct by_messages<tutti::direct> {
  static constexpr const char* name = "direct by messages";
  static constexpr bool rank_order = true;
  template <class Collective>
    requires requires { tutti::direct::schedule(Collective{}); }
  static constexpr auto schedule(Collective tag) { return tutti::direct::schedule(tag); }
};
template <>
struct by_messages<tutti::one_phase> {
  static constexpr const char* name = "one_phase by messages";
  static constexpr bool rank_order = true;
  template <class Collective>
    requires requires { tutti::one_phase::schedule(Collective{}); }
  static constexpr auto schedule(Collective tag) { return tutti::one_phase::schedule(tag); }
};

/// A choice at run time: not the first of its list.
struct chosen_by_name {
  static constexpr const char* name = "one_of<ring, direct, tree>(tree)";
  using choice = tutti::one_of<tutti::ring, tutti::direct, tutti::tree>;
  static choice value() { return choice::named("tree"); }
};

using all_algorithms =
    list<tutti::automatic, tutti::ring, tutti::tree, tutti::aggregator, tutti::direct, tutti::one_phase,
         by_messages<tutti::direct>, by_messages<tutti::one_phase>, chosen_by_name, tutti::recursive_doubling,
         tutti::halving_doubling, tutti::circulant, tutti::double_binary_tree>;
/// Sanitizers watch the engine and the protocol, not the schedules: one algorithm of each way to use them.
using algorithms = std::conditional_t<reduced,
                                      list<tutti::automatic, tutti::ring, tutti::tree, tutti::direct,
                                           by_messages<tutti::one_phase>, tutti::halving_doubling>,
                                      all_algorithms>;
/// Schedules that use the engine as those do: what they do their proofs say, that they do it cover_roots.hpp. A row of
/// all_algorithms is compiled some hundred times; one of these a dozen times.
using more_schedules = list<tutti::knomial<4>, tutti::chain, tutti::scatter_all_gather, tutti::bruck>;

/// For gather, scatter, all_to_all, the scans and the forms with counts: what serves them says tutti::supports. By
/// messages one_phase moves blocks as direct does.
using movers = std::conditional_t<
    reduced,
    list<tutti::automatic, tutti::ring, tutti::tree, by_messages<tutti::direct>, tutti::pairwise, tutti::bruck>,
    list<tutti::automatic, tutti::ring, tutti::tree, tutti::aggregator, tutti::direct, by_messages<tutti::direct>,
         chosen_by_name, tutti::circulant, tutti::pairwise, tutti::bruck>>;
using scanners =
    list<tutti::automatic, tutti::one_phase, by_messages<tutti::one_phase>, tutti::recursive_doubling, tutti::chain>;

struct by_default : tutti::default_chunking {
  static constexpr const char* name = "default";
  using tutti_chunking = by_default;
};
struct in_whole : tutti::whole {
  static constexpr const char* name = "whole";
  using tutti_chunking = in_whole;
};
struct in_chunks_of_256 : tutti::chunked<256> {
  static constexpr const char* name = "chunked<256>";
  using tutti_chunking = in_chunks_of_256;
};
struct in_uniform_chunks : tutti::uniform<1024> {
  static constexpr const char* name = "uniform<1024>";
  using tutti_chunking = in_uniform_chunks;
};
struct in_three_chunks : tutti::pipelined<3> {
  static constexpr const char* name = "pipelined<3>";
  using tutti_chunking = in_three_chunks;
};

using chunkings = list<by_default, in_whole, in_chunks_of_256, in_uniform_chunks, in_three_chunks>;
using two_chunkings = std::conditional_t<reduced, list<in_chunks_of_256>, list<by_default, in_chunks_of_256>>;

template <class Algorithm>
auto value_of() {
  if constexpr (requires { Algorithm::value(); })
    return Algorithm::value();
  else
    return Algorithm{};
}

/// Under sanitizers shm adds only its own memory to what threads show, for which three do: instrumented code takes
/// long to compile.
template <class Communicator, class Algorithm>
inline constexpr bool is_tried =
    !reduced || !Communicator::load_store || std::is_same_v<Communicator, threads::communicator> ||
    std::is_same_v<Algorithm, tutti::ring> || std::is_same_v<Algorithm, tutti::tree> ||
    std::is_same_v<Algorithm, tutti::direct> || std::is_same_v<Algorithm, by_messages<tutti::direct>> ||
    std::is_same_v<Algorithm, tutti::recursive_doubling>;

/// automatic serves everything; what an algorithm serves, also by its name, is what tutti::supports says.
template <class Communicator, class Algorithm, class Collective, class Element, class Op>
constexpr bool serves() {
  using type = decltype(value_of<Algorithm>());
  if constexpr (std::is_same_v<Algorithm, chosen_by_name>)
    return tutti::supports<Communicator, tutti::tree, Collective, Element, Op>;
  else if constexpr (tutti::algorithm_choice<type>)
    return true;
  else
    return tutti::supports<Communicator, type, Collective, Element, Op>;
}

/// Lengths. 'few' is for wide products; 'many' adds the neighbours of every border that a call has.
enum class lengths { few, many };

inline std::vector<std::size_t> counts(lengths which, int size, std::size_t element_bytes) {
  const auto p = std::size_t(size);
  const std::size_t chunk = element_bytes >= 256 ? 1 : 256 / element_bytes;
  std::vector<std::size_t> all;
  if (reduced)
    all = {0, 1, 31, chunk + 1};
  else if (which == lengths::few)
    all = {0, 1, p + 1, 31, chunk * p + 1};
  else
    all = {0,         1,     2,         p - 1,         p,         p + 1,        3, 7, 31, 61, 127, 509, 1009,
           chunk - 1, chunk, chunk + 1, chunk * p - 1, chunk * p, chunk * p + 1};
  std::vector<std::size_t> kept;
  for (const std::size_t count : all) {
    bool fresh = count * element_bytes <= 400000;
    for (const std::size_t other : kept) fresh = fresh && other != count;
    if (fresh) kept.push_back(count);
  }
  return kept;
}

/// Beyond a mailbox letter (256 KiB), and beyond a stage (512 KiB).
inline std::vector<std::size_t> large_counts(std::size_t element_bytes) {
  if (reduced) return {300000 / element_bytes + 1};
  return {300000 / element_bytes + 1, 700000 / element_bytes + 1};
}

}  // namespace conformance
