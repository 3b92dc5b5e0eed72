// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/schedule/transfer.hpp>

namespace tutti {

/// Turns a schedule for a power of two of ranks into one for any number. Among the first 2 (p - q) ranks, q the
/// largest power of two in p, each even rank gives its input to its odd neighbour, which stands for both;
/// afterwards it gets the result back. Neighbours fold with neighbours, so rank order is kept.
/// Costs two rounds more where p is no power of two; the odd neighbours send one vector more.
template <schedule Inner>
struct fold_pairs {
  static constexpr bool scratch = Inner::scratch;

  TUTTI_FUN static constexpr int power(int size) { return 1 << (log2_ceil(size + 1) - 1); }
  TUTTI_FUN static constexpr int blocks(int size) { return Inner::blocks(power(size)); }
  TUTTI_FUN static constexpr int rounds(int size, int) {
    return Inner::rounds(power(size), 0) + (power(size) == size ? 0 : 2);
  }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    const int inner = inner_round(here.size, round);
    if (!is_inner(here.size, inner)) return pairs(here.size, here.rank) ? 1 : 0;
    return gives(here.size, here.rank) ? 0 : Inner::transfers(seat(here), inner);
  }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int inner = inner_round(here.size, round);
    const block_range all{0, blocks(here.size)};
    const bool giver = gives(here.size, here.rank);
    if (inner < 0)
      return giver ? send(here.rank + 1, all, form::input) : fold_left(here.rank - 1, all, form::input, form::input);
    if (!is_inner(here.size, inner))
      return giver ? store(here.rank + 1, all, form::final) : send(here.rank - 1, all, form::final);
    transfer step = Inner::at(seat(here), inner, index);
    step.peer = rank_of(here.size, step.peer);
    // Who stands for two has folded already: what the inner schedule takes for its input is partial.
    const bool own = pairs(here.size, here.rank);
    const bool travels = step.what == action::send ? own : pairs(here.size, step.peer);
    if (travels && step.travels == form::input) step.travels = form::partial;
    if (own && step.held == form::input) step.held = form::partial;
    return step;
  }

 private:
  TUTTI_FUN static constexpr int spare(int size) { return size - power(size); }
  TUTTI_FUN static constexpr bool pairs(int size, int rank) { return rank < 2 * spare(size); }
  TUTTI_FUN static constexpr bool gives(int size, int rank) { return pairs(size, rank) && rank % 2 == 0; }
  TUTTI_FUN static constexpr int inner_round(int size, int round) { return spare(size) == 0 ? round : round - 1; }
  TUTTI_FUN static constexpr bool is_inner(int size, int inner) {
    return inner >= 0 && inner < Inner::rounds(power(size), 0);
  }
  TUTTI_FUN static constexpr place seat(place here) {
    return {pairs(here.size, here.rank) ? here.rank / 2 : here.rank - spare(here.size), power(here.size), 0};
  }
  TUTTI_FUN static constexpr int rank_of(int size, int seat) {
    return seat < spare(size) ? 2 * seat + 1 : seat + spare(size);
  }
};

}  // namespace tutti
