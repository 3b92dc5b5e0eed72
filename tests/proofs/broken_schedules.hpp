// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Schedules with one deliberate mistake each, so that the proof itself is tested. Each starts from one that is
// right: a star or a ring.

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

namespace broken {

using tutti::cost;
using tutti::form;
using tutti::place;
using tutti::transfer;
namespace on = tutti::collective;

/// The ring reduce_scatter with a mistake that Change makes.
template <class Change>
struct changed_ring {
  static constexpr bool scratch = false;
  static constexpr int blocks(int size) { return size; }
  static constexpr int rounds(int size, int) { return size - 1; }
  static constexpr int transfers(place, int) { return 2; }
  static constexpr transfer at(place here, int round, int index) {
    const form travels = round == 0 ? form::input : form::partial;
    const transfer right =
        index == 0 ? tutti::send(here.next(), {here.wrap(here.rank - round - 1)}, travels)
                   : tutti::fold_left(here.previous(), {here.wrap(here.rank - round - 2)}, travels, form::input)
                         .finishing_if(round == here.size - 2);
    return Change::change(right, here, round, index);
  }
};

struct no_change {
  static constexpr transfer change(transfer right, place, int, int) { return right; }
};

/// What an algorithm around it claims.
template <class Schedule, bool Rank_order = false, int More_rounds = 0, int More_blocks = 0>
struct scattering {
  static constexpr const char* name = "broken reduce_scatter";
  static constexpr bool rank_order = Rank_order;
  static constexpr Schedule schedule(on::reduce_scatter) { return {}; }
  static constexpr cost costs(on::reduce_scatter, int size, int) {
    return {size - 1 + More_rounds, size - 1 + More_blocks};
  }
};
template <class Change>
using ring_with = scattering<changed_ring<Change>>;

using right_ring = ring_with<no_change>;
using ring_that_claims_order = scattering<changed_ring<no_change>, true>;
using ring_that_claims_fewer_rounds = scattering<changed_ring<no_change>, false, -1>;
using ring_that_claims_fewer_blocks = scattering<changed_ring<no_change>, false, 0, -1>;

struct wrong_block : no_change {  // the last rank sends its own block
  static constexpr transfer change(transfer right, place here, int round, int index) {
    if (here.rank == here.size - 1 && round == 1 && index == 0) right.where.first = here.rank;
    return right;
  }
};
struct one_block_off : no_change {  // everyone, in sends and arrivals alike
  static constexpr transfer change(transfer right, place here, int, int) {
    right.where.first = here.wrap(right.where.first + 1);
    return right;
  }
};
struct block_outside : no_change {
  static constexpr transfer change(transfer right, place here, int round, int index) {
    if (here.rank == 2 && round == 1 && index == 0) right.where.first = here.size;
    return right;
  }
};
struct missing_receive : no_change {  // rank 1 doesn't take what rank 0 sends in the last round
  static constexpr transfer change(transfer right, place here, int round, int index) {
    return here.rank == 1 && round == here.size - 2 && index == 1 ? tutti::nothing() : right;
  }
};
struct missing_send : no_change {
  static constexpr transfer change(transfer right, place here, int round, int index) {
    return here.rank == 1 && round == 1 && index == 0 ? tutti::nothing() : right;
  }
};
struct no_such_peer : no_change {
  static constexpr transfer change(transfer right, place here, int round, int index) {
    if (here.rank == here.size - 1 && round == 0 && index == 0) right.peer = here.size;
    return right;
  }
};
struct sends_to_itself : no_change {
  static constexpr transfer change(transfer right, place here, int round, int index) {
    if (here.rank == 1 && round == 0 && index == 0) right.peer = 1;
    return right;
  }
};
struct other_form : no_change {  // rank 0 still sends its input in round 1: elements where accumulators are awaited
  static constexpr transfer change(transfer right, place here, int round, int index) {
    if (here.rank == 0 && round == 1 && index == 0) right.travels = form::input;
    return right;
  }
};
struct finished_too_early : no_change {
  static constexpr transfer change(transfer right, place, int round, int index) {
    return round == 0 && index == 1 ? right.finishing() : right;
  }
};
struct folds_what_it_has_not : no_change {  // the held value is called partial, but nothing was folded before
  static constexpr transfer change(transfer right, place here, int round, int index) {
    if (here.rank == 1 && round == 0 && index == 1) right.held = form::partial;
    return right;
  }
};

/// The last rank sends a partial sum, though it has folded nothing.
struct sent_before_having {
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(place, int) { return 1; }
  static constexpr transfer at(place here, int, int) {
    if (here.rank == here.size - 1) return tutti::send(here.rank - 1, {0}, form::partial);
    return here.rank == here.size - 2 ? tutti::fold_right(here.rank + 1, {0}, form::partial, form::input)
                                      : tutti::nothing();
  }
};

/// All values to the root, which folds the one of rank 1 twice.
struct folded_twice {
  static constexpr bool scratch = true;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 2; }
  static constexpr int transfers(place here, int) { return here.rank == 0 ? here.size : 1; }
  static constexpr transfer at(place here, int round, int index) {
    if (here.rank != 0) return round == 0 || here.rank == 1 ? tutti::send(0, {0}, form::input) : tutti::nothing();
    if (round == 1) return index == 1 ? tutti::fold_right(1, {0}, form::input, form::partial) : tutti::nothing();
    return index == 0 ? tutti::store(0, {0}, form::input) : tutti::fold_right(index, {0}, form::input, form::partial);
  }
};

/// Every rank folds all, in rank order; but odd ranks start from behind and so bracket the sum in another way.
struct own_brackets {
  static constexpr bool scratch = true;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(place here, int) { return 2 * here.size - 1; }
  static constexpr transfer at(place here, int, int index) {
    if (index < here.size - 1) return tutti::send(here.wrap(here.rank + 1 + index), {0}, form::input);
    const int turn = index - (here.size - 1);
    const int peer = here.rank % 2 == 0 ? turn : here.size - 1 - turn;
    if (turn == 0) return tutti::store(peer, {0}, form::input);
    const transfer fold = here.rank % 2 == 0 ? tutti::fold_right(peer, {0}, form::input, form::partial)
                                             : tutti::fold_left(peer, {0}, form::input, form::partial);
    return turn == here.size - 1 ? fold.finishing().once_sent() : fold;
  }
};

/// one_phase without the wait for its own sends: in place the result overwrites what is being sent.
struct overwrites_what_it_sends {
  static constexpr bool scratch = true;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(place here, int) { return 2 * here.size - 1; }
  static constexpr transfer at(place here, int, int index) {
    if (index < here.size - 1) return tutti::send(here.wrap(here.rank + 1 + index), {0}, form::input);
    const int peer = index - (here.size - 1);
    if (peer == 0) return tutti::store(0, {0}, form::input);
    return tutti::fold_right(peer, {0}, form::input, form::partial).finishing_if(peer == here.size - 1);
  }
};

/// Says that partial blocks may lie in the output, though the root needs its own input after the first arrival.
struct needs_scratch_without_saying {
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(place here, int) { return here.rank == here.root ? here.size : 1; }
  static constexpr transfer at(place here, int, int index) {
    if (here.rank != here.root) return tutti::send(here.root, {0}, form::input);
    if (index == 0) return tutti::store(0, {0}, form::input);
    return tutti::fold_right(index, {0}, form::input, form::partial).finishing_if(index == here.size - 1);
  }
};

template <class Collective, class Schedule, int Rounds, bool Rank_order = false>
struct algorithm_of {
  static constexpr const char* name = "broken";
  static constexpr bool rank_order = Rank_order;
  static constexpr Schedule schedule(Collective) { return {}; }
  static constexpr cost costs(Collective, int size, int) { return {Rounds, size - 1}; }
};

/// A broadcast that forgets the rank before the root.
struct forgets_the_last {
  static constexpr bool scratch = false;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(place here, int) { return here.rank == here.root ? here.size - 2 : 1; }
  static constexpr transfer at(place here, int, int index) {
    if (here.rank == here.root) return tutti::send(here.wrap(here.root + 1 + index), {0}, form::final);
    return here.rank == here.wrap(here.root - 1) ? tutti::nothing() : tutti::store(here.root, {0}, form::final);
  }
};

/// An all_gather round the ring in which each arrival is taken for the neighbour's block.
struct gathers_wrong_blocks {
  static constexpr bool scratch = false;
  static constexpr int blocks(int size) { return size; }
  static constexpr int rounds(int size, int) { return size - 1; }
  static constexpr int transfers(place, int) { return 2; }
  static constexpr transfer at(place here, int round, int index) {
    return index == 0 ? tutti::send(here.next(), {here.wrap(here.rank - round)}, form::final)
                      : tutti::store(here.previous(), {here.wrap(here.rank - round)}, form::final);
  }
};

/// After a ring all_gather everyone sends all it has to everyone once more: block by block through mailboxes
/// that hold few, senders could wait for each other in a circle.
struct everyone_sends_all {
  static constexpr bool scratch = false;
  static constexpr int blocks(int size) { return size; }
  static constexpr int rounds(int size, int) { return size; }
  static constexpr int transfers(place here, int round) { return round < here.size - 1 ? 2 : 2 * (here.size - 1); }
  static constexpr transfer at(place here, int round, int index) {
    if (round < here.size - 1)
      return index == 0 ? tutti::send(here.next(), {here.wrap(here.rank - round)}, form::final)
                        : tutti::store(here.previous(), {here.wrap(here.rank - round - 1)}, form::final);
    const int peer = here.wrap(here.rank + 1 + index % (here.size - 1));
    return index < here.size - 1 ? tutti::send(peer, {0, here.size}, form::final)
                                 : tutti::store(peer, {0, here.size}, form::final).once_sent();
  }
};

/// reduce where another rank than the root writes a result.
struct result_elsewhere {
  static constexpr bool scratch = true;
  static constexpr int blocks(int) { return 1; }
  static constexpr int rounds(int, int) { return 1; }
  static constexpr int transfers(place here, int) { return here.rank == 0 ? here.size : 1; }
  static constexpr transfer at(place here, int, int index) {
    if (here.rank != 0) return tutti::send(0, {0}, form::input);
    if (index == 0) return tutti::store(0, {0}, form::input);
    return tutti::fold_right(index, {0}, form::input, form::partial).finishing_if(index == here.size - 1);
  }
};

}  // namespace broken
