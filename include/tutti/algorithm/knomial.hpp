// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Steps and bytes for n bytes on p ranks, L = ceil(log_K p), M = ceil(log_K max(root, p - root))
//   broadcast, reduce     M (+ 1 where root > 0) rounds; in each a parent sends up to (K-1)n, or folds K-1 arrivals
//   all_reduce            2L rounds, reduce to rank 0 and broadcast from there; chunks overlap the two
// Scratch: one vector of accumulators where the result has no room for them. Folds in rank order. A larger K pays
// where a round costs more than the bytes: short vectors, links that take several messages at once.
// Paper: M. Wilkins, H. Wang, P. Liu, B. Pham, Y. Guo, R. Thakur, P. Dinda, N. Hardavellas, "Generalized collective
// algorithms for the exascale era", CLUSTER 2023; two trees side by side keep rank order for any root.

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/combinators.hpp>
#include <tutti/schedule/transfer.hpp>

namespace tutti {
namespace detail {

/// The ranks below the root hang on rank 0, the others on the root; the root feeds rank 0 first. In each round a
/// parent serves its K - 1 children of that distance, the farthest first. Each subtree is a run of neighbouring
/// ranks, and read backwards the nearest arrives first, so that the reverse of this folds in rank order.
template <int K>
struct knomial_broadcast {
  static constexpr bool scratch = false;
  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int size, int root) { return (root > 0 ? 1 : 0) + depth(size, root); }
  TUTTI_FUN static constexpr int transfers(place, int) { return K - 1; }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    if (here.root > 0 && round-- == 0) {
      if (index > 0) return nothing();
      if (here.rank == here.root) return send(0, {0}, form::final);
      return here.rank == 0 ? store(here.root, {0}, form::final) : nothing();
    }
    const bool low = here.rank < here.root;
    const int top = low ? 0 : here.root;
    const int ranks = low ? here.root : here.size - here.root;
    const int seat = here.rank - top;
    const int distance = power(depth(here.size, here.root) - 1 - round);
    const int offset = seat % (K * distance);
    if (offset == 0) {
      const int child = (K - 1 - index) * distance;
      return seat + child < ranks ? send(here.rank + child, {0}, form::final) : nothing();
    }
    return index == 0 && offset % distance == 0 ? store(here.rank - offset, {0}, form::final) : nothing();
  }
  /// How many children the top of a tree of this many ranks has.
  TUTTI_FUN static constexpr int children(int ranks) {
    int count = 0;
    for (int distance = 1; distance < ranks; distance *= K)
      count += (ranks - 1) / distance < K - 1 ? (ranks - 1) / distance : K - 1;
    return count;
  }
  TUTTI_FUN static constexpr int depth(int size, int root) {
    const int ranks = root > size - root ? root : size - root;
    int levels = 0;
    for (int reached = 1; reached < ranks; reached *= K) ++levels;
    return levels;
  }

 private:
  TUTTI_FUN static constexpr int power(int exponent) {
    int result = 1;
    for (; exponent > 0; --exponent) result *= K;
    return result;
  }
};

/// "knomial<4>" and so on.
template <int K>
struct knomial_name {
  char text[20] = "knomial<";
  constexpr knomial_name() {
    char* end = text + 8;
    int unit = 1;
    while (K / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) *end++ = char('0' + K / unit % 10);
    *end = '>';
  }
};
template <int K>
inline constexpr knomial_name<K> name_of_knomial{};

}  // namespace detail

/// tree with K - 1 children a round instead of one: fewer rounds, more bytes at the parents.
template <int K = 4>
struct knomial {
  static_assert(K >= 2 && K <= 1024, "tutti: knomial<K> takes a K from 2 to 1024");
  static constexpr const char* name = detail::name_of_knomial<K>.text;
  static constexpr bool rank_order = true;
  static constexpr bool same_for_all_sizes = true;

  static constexpr auto schedule(collective::broadcast) { return detail::knomial_broadcast<K>{}; }
  static constexpr auto schedule(collective::reduce) { return reversed<detail::knomial_broadcast<K>>{}; }
  static constexpr auto schedule(collective::all_reduce) {
    return sequence<reversed<detail::knomial_broadcast<K>>, detail::knomial_broadcast<K>>{};
  }

  static constexpr cost costs(collective::broadcast, int size, int root) {
    const int below = detail::knomial_broadcast<K>::children(root);
    const int above = detail::knomial_broadcast<K>::children(size - root) + (root > 0 ? 1 : 0);
    return {detail::knomial_broadcast<K>::rounds(size, root), below > above ? below : above};
  }
  static constexpr cost costs(collective::reduce, int size, int root) {
    return {detail::knomial_broadcast<K>::rounds(size, root), 1};
  }
  static constexpr cost costs(collective::all_reduce, int size, int) {
    return {2 * detail::knomial_broadcast<K>::rounds(size, 0), detail::knomial_broadcast<K>::children(size)};
  }
};

}  // namespace tutti
