// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/copy.hpp>
#include <tutti/engine/kernel.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/schedule/transfer.hpp>

#include <cstddef>

namespace tutti::detail {

/// What stands for the operator where nothing is reduced: elements only move.
template <class Element>
struct no_reduction {
  using element = Element;
  using accumulator = Element;
  static constexpr bool accumulates = false;
  static const Element& combine(const Element& left, const Element&) { return left; }  // never called
};

/// The loops over elements: the only place where an operator is called on the host. Each is a plain loop
/// over pointers with the operator inlined, and tolerates that the output is one of the inputs.
template <class Reduction>
struct fold_loops {
  using element = typename Reduction::element;
  using accumulator = typename Reduction::accumulator;
  const Reduction& op;
  int size;  // of the communicator, for lower

  /// out = arriving, in the form that out has.
  void store(const void* arriving, form travels, void* out, form becomes, std::size_t count) const {
    if (!Reduction::accumulates || travels == becomes) {
      const std::size_t bytes = count * (travels == form::partial ? sizeof(accumulator) : sizeof(element));
      if (out != arriving) copy_bytes(out, arriving, bytes);
    } else if constexpr (Reduction::accumulates) {
      if (becomes == form::partial) {
        auto* to = static_cast<accumulator*>(out);
        run_kernel([&] {
          for (std::size_t i = 0; i < count; ++i) to[i] = op.lift(static_cast<const element*>(arriving)[i]);
        });
      } else if (travels == form::partial) {
        auto* to = static_cast<element*>(out);
        run_kernel([&] {
          for (std::size_t i = 0; i < count; ++i) to[i] = op.lower(static_cast<const accumulator*>(arriving)[i], size);
        });
      } else {
        auto* to = static_cast<element*>(out);
        run_kernel([&] {
          for (std::size_t i = 0; i < count; ++i)
            to[i] = op.lower(op.lift(static_cast<const element*>(arriving)[i]), size);
        });
      }
    }
  }

  /// out = left combined with right, in the form that out has.
  void combine(const void* left, form left_form, const void* right, form right_form, void* out, form becomes,
               std::size_t count) const {
    if constexpr (!Reduction::accumulates) {
      loop<false, false, false>(left, right, out, count);
    } else {
      const bool lift_left = left_form == form::input, lift_right = right_form == form::input,
                 lowers = becomes == form::final;
      if (lift_left)
        lift_right ? choose<true, true>(left, right, out, lowers, count)
                   : choose<true, false>(left, right, out, lowers, count);
      else
        lift_right ? choose<false, true>(left, right, out, lowers, count)
                   : choose<false, false>(left, right, out, lowers, count);
    }
  }

 private:
  template <bool Lift_left, bool Lift_right>
  void choose(const void* left, const void* right, void* out, bool lowers, std::size_t count) const {
    lowers ? loop<Lift_left, Lift_right, true>(left, right, out, count)
           : loop<Lift_left, Lift_right, false>(left, right, out, count);
  }

  template <bool Lift>
  static auto operand(const void* from) {
    if constexpr (Lift)
      return static_cast<const element*>(from);
    else
      return static_cast<const accumulator*>(from);
  }
  template <bool Lift, class Value>
  accumulator value(const Value& from) const {
    if constexpr (Lift)
      return op.lift(from);
    else
      return from;
  }

  template <bool Lift_left, bool Lift_right, bool Lowers>
  void loop(const void* left, const void* right, void* out, std::size_t count) const {
    const auto* a = operand<Lift_left>(left);
    const auto* b = operand<Lift_right>(right);
    if constexpr (Lowers) {
      auto* to = static_cast<element*>(out);
      run_kernel([&] {
        for (std::size_t i = 0; i < count; ++i)
          to[i] = op.lower(op.combine(value<Lift_left>(a[i]), value<Lift_right>(b[i])), size);
      });
    } else {
      auto* to = static_cast<accumulator*>(out);
      run_kernel([&] {
        for (std::size_t i = 0; i < count; ++i) to[i] = op.combine(value<Lift_left>(a[i]), value<Lift_right>(b[i]));
      });
    }
  }
};

/// Elements of a tile.
template <class Accumulator>
inline constexpr std::size_t fold_tile = sizeof(Accumulator) < 512 ? 1024 / sizeof(Accumulator) : 1;
/// Bytes for one of accumulators, where they aren't elements.
template <class Reduction>
inline constexpr std::size_t fold_room = Reduction::accumulates ? fold_tile<typename Reduction::accumulator> *
                                                                      sizeof(typename Reduction::accumulator)
                                                                : 1;

/// total[i] = from[0][i] + from[1][i] + ..., or total[i] + from[0][i] + ... where it goes on. Compiled once for an
/// operator, whoever folds: it is the largest part of what a call compiles to.
template <class Reduction>
void fold_columns(isa instructions, const Reduction& op, const typename Reduction::element* const* from, int ranks,
                  bool goes_on, typename Reduction::accumulator* total, std::size_t length) {
  run_kernel(instructions, [&] {
    int rank = 0;
    if (!goes_on) {
      const auto *one = from[0], *two = from[1];
      for (std::size_t i = 0; i < length; ++i) total[i] = op.combine(op.lift(one[i]), op.lift(two[i]));
      rank = 2;
    }
    for (; rank + 1 < ranks; rank += 2) {
      const auto *one = from[rank], *two = from[rank + 1];
      for (std::size_t i = 0; i < length; ++i)
        total[i] = op.combine(op.combine(total[i], op.lift(one[i])), op.lift(two[i]));
    }
    if (rank < ranks) {
      const auto* one = from[rank];
      for (std::size_t i = 0; i < length; ++i) total[i] = op.combine(total[i], op.lift(one[i]));
    }
  });
}

/// Folds the elements of all ranks in rank order: out[i] = lower(x0[i] + x1[i] + ...). source(rank) gives a
/// rank's elements, size is at least 1. The order of operations is the one that rank_order_fold schedules have.
/// Works in tiles, two ranks at a time, so that every loop is a plain one. Tiles are short: ranks that fold at the same
/// time all read from rank 0 first, then from rank 1, and the shorter a tile the sooner they spread (16 ranks, 256 KiB:
/// 119 us in tiles of 8 KiB, 95 us in tiles of 1 KiB).
template <class Reduction, class Source>
void fold_in_rank_order(isa instructions, const Reduction& op, int size, Source&& source,
                        typename Reduction::element* out, std::size_t count) {
  using element = typename Reduction::element;
  using accumulator = typename Reduction::accumulator;
  if (size == 1) return fold_loops<Reduction>{op, 1}.store(source(0), form::input, out, form::final, count);
  constexpr int most = 32;  // ranks at a time
  const std::size_t tile = size == 2 && !Reduction::accumulates ? count : fold_tile<accumulator>;
  const element* from[most];
  alignas(accumulator) std::byte room[fold_room<Reduction>];
  for (std::size_t first = 0; first < count; first += tile) {
    const std::size_t length = first + tile < count ? tile : count - first;
    accumulator* total;
    if constexpr (Reduction::accumulates)
      total = reinterpret_cast<accumulator*>(room);
    else
      total = out + first;
    for (int done = 0; done < size; done += most) {
      const int ranks = size - done < most ? size - done : most;
      for (int rank = 0; rank < ranks; ++rank) from[rank] = source(done + rank) + first;
      fold_columns(instructions, op, from, ranks, done != 0, total, length);
    }
    if constexpr (Reduction::accumulates)
      fold_loops<Reduction>{op, size}.store(total, form::partial, out + first, form::final, length);
  }
}
template <class Reduction, class Source>
void fold_in_rank_order(const Reduction& op, int size, Source&& source, typename Reduction::element* out,
                        std::size_t count) {
  fold_in_rank_order(isa_here(), op, size, source, out, count);
}

/// The same bits of so few elements that they travel in a line.
template <class Reduction>
TUTTI_KERNEL_SHORT void fold_elements(const Reduction& op, const typename Reduction::element* const* from, int ranks,
                                      typename Reduction::element* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    typename Reduction::accumulator total = op.lift(from[0][i]);
    for (int rank = 1; rank < ranks; ++rank) total = op.combine(total, op.lift(from[rank][i]));
    if constexpr (Reduction::accumulates)
      out[i] = op.lower(total, ranks);
    else
      out[i] = total;
  }
}
inline constexpr int most_ranks_at_once = 64;
/// For at most so many ranks.
template <class Reduction, class Source>
void fold_few(const Reduction& op, int size, Source&& source, typename Reduction::element* out, std::size_t count) {
  const typename Reduction::element* from[most_ranks_at_once];
  for (int rank = 0; rank < size; ++rank) from[rank] = source(rank);
  fold_elements(op, from, size, out, count);
}

}  // namespace tutti::detail
