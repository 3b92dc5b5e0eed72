// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/expression.hpp>
#include <tutti/schedule/obligation.hpp>
#include <tutti/schedule/round_flow.hpp>
#include <tutti/schedule/transfer.hpp>

#include <initializer_list>

namespace tutti {

/// What a proof can find wrong.
enum class flaw {
  none,
  no_such_peer,            // a peer outside [0, size)
  no_such_block,           // a block outside [0, blocks)
  undefined_sent,          // a block is sent before the sender has it
  undefined_folded,        // a fold into a block that the rank doesn't hold
  send_without_receive,    // nobody takes what was sent
  receive_without_send,    // somebody waits for ever
  blocks_disagree,         // sender and receiver mean different blocks
  forms_disagree,          // sender and receiver mean different types
  counted_twice,           // a contribution would enter a second time
  finished_too_early,      // lowered before all contributions are in
  written_outside_result,  // a final block where the collective gives this rank none
  crowded_round,           // with room for one block between a pair, ranks would wait for each other: see round_flow
  overwritten_while_sent,  // an arrival lands where the same round still sends from
  result_missing,          // a block that the collective owes is absent
  results_differ,          // two ranks evaluate different expressions
  out_of_rank_order,       // the algorithm claims rank order and doesn't keep it
  rounds_differ_from_cost,
  volume_differs_from_cost,
  order_differs_by_block,  // the algorithm claims one order for all elements and doesn't keep it
};

/// The outcome of a symbolic run: the first flaw and where it is, and what the schedule cost.
struct verdict {
  flaw found = flaw::none;
  int size = 0, root = 0, rank = -1, round = -1, block = -1;
  cost measured{};
  bool rank_order = true;
  bool same_for_all_blocks = true;  // every block is folded in the same order
  constexpr explicit operator bool() const { return found == flaw::none; }
};

namespace detail {

/// Runs a schedule on expressions instead of numbers. Schedules do not depend on data, so one run is a
/// proof for this size, root and storage. Matching within each round also excludes deadlock where a rank can post all
/// sends of a round before it waits: whoever is in the earliest round waits only for ranks that are in it or past it.
/// That a round also flows where a mailbox holds one block, round_flow shows.
template <schedule Schedule, collective::tag Collective>
class symbolic_run {
 public:
  constexpr symbolic_run(int size, int root, bool in_place)
      : size_(size),
        root_(root),
        blocks_(Schedule::blocks(size)),
        in_place_(in_place),
        known_(size),
        held_(std::size_t(size) * std::size_t(blocks_) * 3, expressions::none),
        sending_(3 * std::size_t(blocks_), false) {
    for (int rank = 0; rank < size; ++rank)
      for (int block = 0; block < blocks_; ++block)
        for (const form what : {form::input, form::final})
          value(rank, block, what) = given<Collective>(here(rank), block, what);
  }

  constexpr verdict run() {
    const int rounds = Schedule::rounds(size_, root_);
    growing<int> sent(std::size_t(size_), 0);
    for (int round = 0; round < rounds && found_.found == flaw::none; ++round) {
      post_sends(round, sent);
      for (int rank = 0; rank < size_ && found_.found == flaw::none; ++rank) take_arrivals(rank, round);
      if (found_.found == flaw::none) expect_all_taken(round);
      if (found_.found == flaw::none) expect_flow(round);
    }
    if (found_.found == flaw::none) expect_results(rounds);
    found_.size = size_;
    found_.root = root_;
    found_.measured = {rounds, 0};
    for (int rank = 0; rank < size_; ++rank)
      if (sent[std::size_t(rank)] > found_.measured.sent_blocks) found_.measured.sent_blocks = sent[std::size_t(rank)];
    return found_;
  }

 private:
  struct message {
    int from, to;
    block_range where;
    form travels;
    std::size_t values;  // into values_
    int next;            // the next message of the same pair
    bool taken;
  };

  constexpr place here(int rank) const { return {rank, size_, root_}; }
  constexpr int& value(int rank, int block, form what) {
    return held_[(std::size_t(rank) * std::size_t(blocks_) + std::size_t(block)) * 3 + std::size_t(what)];
  }
  constexpr void report(flaw what, int rank, int round, int block) {
    if (found_.found == flaw::none) {
      found_.found = what;
      found_.rank = rank;
      found_.round = round;
      found_.block = block;
    }
  }

  // Which forms share memory on this rank: exactly what the engine does.
  constexpr bool share(int rank, form one, form other) const {
    if (one == other) return true;
    const bool has_whole_output =
        Collective::reduces && !Collective::per_rank && (!Collective::rooted || rank == root_);
    if (!has_whole_output) return false;
    const bool partial_in_output = !in_place_ || !Schedule::scratch;
    const auto in_output = [&](form what) {
      return what == form::final || (what == form::input && in_place_) || (what == form::partial && partial_in_output);
    };
    return in_output(one) && in_output(other);
  }

  constexpr bool sane(const transfer& step, int rank, int round) {
    if (step.peer < 0 || step.peer >= size_) return report(flaw::no_such_peer, rank, round, step.where.first), false;
    if (step.where.first < 0 || step.where.count < 0 || step.where.end() > blocks_)
      return report(flaw::no_such_block, rank, round, step.where.first), false;
    return true;
  }

  constexpr void post_sends(int round, growing<int>& sent) {
    messages_.clear();
    values_.clear();
    first_.assign(std::size_t(size_) * std::size_t(size_), -1);
    last_.assign(std::size_t(size_) * std::size_t(size_), -1);
    for (int rank = 0; rank < size_; ++rank) {
      const int transfers = Schedule::transfers(here(rank), round);
      for (int index = 0; index < transfers; ++index) {
        const transfer step = Schedule::at(here(rank), round, index);
        if (step.what != action::send || step.where.count == 0) continue;
        if (!sane(step, rank, round)) return;
        if (step.peer == rank) return report(flaw::no_such_peer, rank, round, step.where.first);
        const int number = int(messages_.size());
        messages_.push_back({rank, step.peer, step.where, step.travels, values_.size(), -1, false});
        for (int block = step.where.first; block < step.where.end(); ++block) {
          if (value(rank, block, step.travels) == expressions::none)
            return report(flaw::undefined_sent, rank, round, block);
          values_.push_back(value(rank, block, step.travels));
        }
        const std::size_t pair = std::size_t(rank) * std::size_t(size_) + std::size_t(step.peer);
        if (first_[pair] < 0)
          first_[pair] = number;
        else
          messages_[std::size_t(last_[pair])].next = number;
        last_[pair] = number;
        sent[std::size_t(rank)] += step.where.count;
      }
    }
  }

  constexpr void mark_sends(int rank, int round, bool mark) {
    const int transfers = Schedule::transfers(here(rank), round);
    for (int index = 0; index < transfers; ++index) {
      const transfer step = Schedule::at(here(rank), round, index);
      if (step.what != action::send) continue;
      for (int block = step.where.first; block < step.where.end(); ++block)
        sending_[std::size_t(block) * 3 + std::size_t(step.travels)] = mark;
    }
  }

  constexpr void take_arrivals(int rank, int round) {
    mark_sends(rank, round, true);
    const int transfers = Schedule::transfers(here(rank), round);
    for (int index = 0; index < transfers && found_.found == flaw::none; ++index) {
      const transfer step = Schedule::at(here(rank), round, index);
      if (step.what == action::send || step.where.count == 0 || !sane(step, rank, round)) continue;
      if (step.peer == rank)
        for (int block = step.where.first; block < step.where.end(); ++block)
          apply(step, rank, round, block, value(rank, block, step.travels));
      else
        receive(step, rank, round);
    }
    mark_sends(rank, round, false);
  }

  constexpr void receive(const transfer& step, int rank, int round) {
    int& head = first_[std::size_t(step.peer) * std::size_t(size_) + std::size_t(rank)];
    if (head < 0) return report(flaw::receive_without_send, rank, round, step.where.first);
    message& arrival = messages_[std::size_t(head)];
    head = arrival.next;
    arrival.taken = true;
    if (arrival.where.first != step.where.first || arrival.where.count != step.where.count)
      return report(flaw::blocks_disagree, rank, round, step.where.first);
    if (arrival.travels != step.travels) return report(flaw::forms_disagree, rank, round, step.where.first);
    for (int i = 0; i < step.where.count; ++i)
      apply(step, rank, round, step.where.first + i, values_[arrival.values + std::size_t(i)]);
  }

  constexpr void apply(const transfer& step, int rank, int round, int block, int arriving) {
    if (arriving == expressions::none) return report(flaw::undefined_folded, rank, round, block);
    int result = arriving;
    if (step.what != action::store) {
      const int own = value(rank, block, step.held);
      if (own == expressions::none) return report(flaw::undefined_folded, rank, round, block);
      result = step.what == action::fold_left ? known_.combine(arriving, own) : known_.combine(own, arriving);
      if (result == expressions::twice) return report(flaw::counted_twice, rank, round, block);
    }
    if (step.becomes == form::final) {
      if (Collective::reduces && known_.count(result) != contributions<Collective>(rank, size_))
        return report(flaw::finished_too_early, rank, round, block);
      if (!owed<Collective>(here(rank), block)) return report(flaw::written_outside_result, rank, round, block);
    }
    for (form other : {form::input, form::partial, form::final}) {
      if (!share(rank, step.becomes, other)) continue;
      if (!step.after_sends && sending_[std::size_t(block) * 3 + std::size_t(other)])
        return report(flaw::overwritten_while_sent, rank, round, block);
      value(rank, block, other) = expressions::none;
    }
    value(rank, block, step.becomes) = result;
  }

  constexpr void expect_flow(int round) {
    round_flow<Schedule> flow(size_, root_, round);
    if (const int stuck = flow.run(); stuck >= 0) report(flaw::crowded_round, stuck, round, flow.waits_to_send(stuck));
  }

  constexpr void expect_all_taken(int round) {
    for (std::size_t i = 0; i < messages_.size(); ++i)
      if (!messages_[i].taken) report(flaw::send_without_receive, messages_[i].from, round, messages_[i].where.first);
  }

  constexpr void expect_results(int rounds) {
    growing<int> first(std::size_t(size_), expressions::none);  // by rank: how its first block was folded
    for (int block = 0; block < blocks_; ++block) {
      int agreed = expressions::none;
      for (int rank = 0; rank < size_; ++rank) {
        if (!owed<Collective>(here(rank), block)) continue;
        const int result = value(rank, block, form::final);
        if (result == expressions::none) return report(flaw::result_missing, rank, rounds, block);
        if constexpr (!Collective::reduces) {
          if (result != due<Collective>(here(rank), block)) return report(flaw::results_differ, rank, rounds, block);
        } else {
          if (Collective::prefix && !known_.from_rank_zero(result))
            return report(flaw::results_differ, rank, rounds, block);
          if (!Collective::prefix && agreed != expressions::none && result != agreed)
            return report(flaw::results_differ, rank, rounds, block);
          agreed = result;
          int& before = first[Collective::prefix ? std::size_t(rank) : 0];
          if (before != expressions::none && before != result) found_.same_for_all_blocks = false;
          before = result;
          if (!known_.ascending(result)) found_.rank_order = false;
        }
      }
    }
  }

  int size_, root_, blocks_;
  bool in_place_;
  expressions known_;
  growing<int> held_;  // [rank][block][form]: the number of an expression
  growing<bool> sending_;
  growing<message> messages_;
  growing<int> values_, first_, last_;
  verdict found_;
};

}  // namespace detail
}  // namespace tutti
