// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/schedule/transfer.hpp>

namespace tutti {

/// First, then Second, over the same blocks.
template <schedule First, schedule Second>
struct sequence {
  static_assert(First::blocks(6) == Second::blocks(6),
                "tutti: sequence<First, Second> needs both to cut the same blocks");
  static constexpr bool scratch = First::scratch || Second::scratch;

  TUTTI_FUN static constexpr int blocks(int size) { return First::blocks(size); }
  TUTTI_FUN static constexpr int rounds(int size, int root) {
    return First::rounds(size, root) + Second::rounds(size, root);
  }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    const int border = First::rounds(here.size, here.root);
    return round < border ? First::transfers(here, round) : Second::transfers(here, round - border);
  }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int border = First::rounds(here.size, here.root);
    return round < border ? First::at(here, round, index) : Second::at(here, round - border, index);
  }
};

/// First over its blocks and in the same rounds Second over its own, which lie behind them.
template <schedule First, schedule Second>
struct side_by_side {
  static constexpr bool scratch = First::scratch || Second::scratch;

  TUTTI_FUN static constexpr int blocks(int size) { return First::blocks(size) + Second::blocks(size); }
  TUTTI_FUN static constexpr int rounds(int size, int root) {
    const int first = First::rounds(size, root), second = Second::rounds(size, root);
    return first > second ? first : second;
  }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    return transfers_of<First>(here, round) + transfers_of<Second>(here, round);
  }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int border = transfers_of<First>(here, round);
    if (index < border) return First::at(here, round, index);
    transfer step = Second::at(here, round, index - border);
    step.where.first += First::blocks(here.size);
    return step;
  }

 private:
  template <schedule Part>
  TUTTI_FUN static constexpr int transfers_of(place here, int round) {
    return round < Part::rounds(here.size, here.root) ? Part::transfers(here, round) : 0;
  }
};

/// Turns a schedule written for root 0 into one for any root, by renumbering the ranks round the ring.
/// Not for folds that keep rank order: the renumbered order is a cyclic one.
template <schedule Base>
struct rotate_root {
  static constexpr bool scratch = Base::scratch;

  TUTTI_FUN static constexpr int blocks(int size) { return Base::blocks(size); }
  TUTTI_FUN static constexpr int rounds(int size, int) { return Base::rounds(size, 0); }
  TUTTI_FUN static constexpr int transfers(place here, int round) { return Base::transfers(turned(here), round); }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    transfer step = Base::at(turned(here), round, index);
    step.peer = here.wrap(step.peer + here.root);
    return step;
  }

 private:
  TUTTI_FUN static constexpr place turned(place here) { return {here.wrap(here.rank - here.root), here.size, 0}; }
};

/// A broadcast read backwards is a reduction: what was sent is folded where it came from. The arrival
/// folds on the side where the peer's rank lies. The root's last fold finishes.
template <schedule Broadcast>
struct reversed {
  static_assert(Broadcast::blocks(6) == 1, "tutti: reversed<Broadcast> takes broadcasts of one block");
  static constexpr bool scratch = false;

  TUTTI_FUN static constexpr int blocks(int) { return 1; }
  TUTTI_FUN static constexpr int rounds(int size, int root) { return Broadcast::rounds(size, root); }
  TUTTI_FUN static constexpr int transfers(place here, int round) {
    return Broadcast::transfers(here, mirror(here, round));
  }
  TUTTI_FUN static constexpr transfer at(place here, int round, int index) {
    const int origin = mirror(here, round);
    const int turned = Broadcast::transfers(here, origin) - 1 - index;
    const transfer forward = Broadcast::at(here, origin, turned);
    if (forward.where.count == 0) return nothing();
    // What the broadcast sends later, the reduction has folded already.
    const form held = sends_after(here, origin, turned) ? form::partial : form::input;
    if (forward.what != action::send) return send(forward.peer, forward.where, held);
    const transfer fold = forward.peer < here.rank
                              ? fold_left(forward.peer, forward.where, peers_form(here, forward.peer, origin), held)
                              : fold_right(forward.peer, forward.where, peers_form(here, forward.peer, origin), held);
    return fold.finishing_if(here.rank == here.root && !sends_before(here, origin, turned));
  }

 private:
  TUTTI_FUN static constexpr int mirror(place here, int round) {
    return Broadcast::rounds(here.size, here.root) - 1 - round;
  }
  TUTTI_FUN static constexpr bool is_send(place here, int round, int index) {
    const transfer step = Broadcast::at(here, round, index);
    return step.where.count != 0 && step.what == action::send;
  }
  TUTTI_FUN static constexpr bool sends_after(place here, int round, int index) {
    for (int i = index + 1; i < Broadcast::transfers(here, round); ++i)
      if (is_send(here, round, i)) return true;
    for (int k = round + 1; k < Broadcast::rounds(here.size, here.root); ++k)
      for (int i = 0; i < Broadcast::transfers(here, k); ++i)
        if (is_send(here, k, i)) return true;
    return false;
  }
  TUTTI_FUN static constexpr bool sends_before(place here, int round, int index) {
    for (int i = 0; i < index; ++i)
      if (is_send(here, round, i)) return true;
    for (int k = 0; k < round; ++k)
      for (int i = 0; i < Broadcast::transfers(here, k); ++i)
        if (is_send(here, k, i)) return true;
    return false;
  }
  /// The child gives its own input unless it has folded children of its own.
  TUTTI_FUN static constexpr form peers_form(place here, int peer, int round) {
    const place there{peer, here.size, here.root};
    return sends_after(there, round, Broadcast::transfers(there, round) - 1) ? form::partial : form::input;
  }
};

}  // namespace tutti
