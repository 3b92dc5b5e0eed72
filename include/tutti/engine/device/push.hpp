// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/engine/device/packing.hpp>
#include <tutti/transport/push_layout.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// What one rank does in one call by pushing: it gives each rank some elements, takes or folds what the others give it,
/// and may hand on what came of that. In elements; the same piece of the call on all ranks.
template <class Element>
struct push_call {
  push_region where;
  std::uint32_t collective = 0;  // for reports
  std::uint32_t print = 0;       // of the call: the same on all ranks
  std::uint64_t bytes = 0;       // of the whole, likewise

  const Element* give[most_peers] = {};  // to each rank, the own one included
  std::uint32_t gives[most_peers] = {};
  bool same_for_all = false;  // every rank that gets any gets give[rank]

  Element* take[most_peers] = {};  // from each rank, the own one included, where nothing is folded
  std::uint32_t takes[most_peers] = {};
  int folded = 0;  // ranks, from 0 on
  Element* result = nullptr;
  std::uint32_t results = 0;

  std::uint32_t hands_on_to = 0;  // ranks, a bit each: they get the result, or what was taken
  Element* gather[most_peers] = {};
  std::uint32_t gathers[most_peers] = {};

  bool aligned = false;       // everything begins on 16 bytes
  std::int64_t patience = 0;  // nanoseconds without a peer
};

/// The same as a kernel wants it: what every thread needs first is in few lines of the constant memory in which a
/// kernel finds its parameters, and by constant indices; peers are in the order in which this rank pushes to them.
template <class Element, int Most>
struct push_task {
  pack* to[Most];      // this rank's row of turn 0, part 0 in the region of the k-th peer after it; to[0] is its own
                       // region's first row
  const Element* own;  // what it gives to all, or to itself
  Element* result;     // where what is folded goes, or what it gives to itself
  push_control* control;
  std::uint32_t row, part, turn;  // packs from one row, part, turn to the next
  std::uint32_t longest_given, longest_taken, longest_gathered;
  std::uint32_t results, own_takes;
  std::int8_t rank, ranks, folded;
  bool same_for_all, aligned, keeps_own;
  std::uint8_t hands_on_to;  // peers, by k

  std::uint32_t gives[Most];  // by k, as give
  const Element* give[Most];
  std::uint32_t takes[Most], gathers[Most];  // by rank
  Element *take[Most], *gather[Most];

  std::uint32_t print, collective;
  std::uint64_t bytes;
  std::int64_t patience;
  pack* greets[Most];             // this rank's greeting of turn 0 to the k-th peer
  pack* greetings;                // of turn 0, by rank
  std::uint32_t* receipts[Most];  // this rank's at the k-th peer; [0] is the first of its own
  push_report* report;
  const push_orders* orders;

  explicit push_task(const push_call<Element>& call) {
    const push_region& at = call.where;
    own = call.give[at.rank];
    result = call.result != nullptr ? call.result : call.take[at.rank];
    control = at.control;
    row = std::uint32_t(at.row);
    part = row * std::uint32_t(at.ranks);
    turn = 2 * part;
    rank = std::int8_t(at.rank);
    ranks = std::int8_t(at.ranks);
    folded = std::int8_t(call.folded);
    same_for_all = call.same_for_all;
    aligned = call.aligned;
    results = call.results;
    own_takes = call.takes[at.rank];
    keeps_own = own_takes != 0 && call.take[at.rank] != call.give[at.rank];
    print = call.print;
    collective = call.collective;
    bytes = call.bytes;
    patience = call.patience;
    report = at.report;
    orders = at.orders;
    greetings = at.greeting(at.rank, 0, 0);
    longest_given = longest_taken = longest_gathered = 0;
    hands_on_to = 0;
    for (int k = 0; k < Most; ++k) {
      const int peer = k < at.ranks ? (at.rank + k) % at.ranks : at.rank;
      const bool there = k != 0 && k < at.ranks;
      to[k] = at.slots(peer, 0, 0, k == 0 ? 0 : at.rank);
      greets[k] = at.greeting(peer, 0, at.rank);
      receipts[k] = at.receipt(peer, k == 0 ? 0 : at.rank);
      give[k] = call.give[peer];
      gives[k] = there ? call.gives[peer] : 0;
      if (gives[k] > longest_given) longest_given = gives[k];
      if (there && (call.hands_on_to >> peer & 1u) != 0) hands_on_to = std::uint8_t(hands_on_to | 1u << k);
      take[k] = call.take[k];
      takes[k] = k < at.ranks && k != at.rank ? call.takes[k] : 0;
      gather[k] = call.gather[k];
      gathers[k] = k < at.ranks && k != at.rank ? call.gathers[k] : 0;
      if (takes[k] > longest_taken) longest_taken = takes[k];
      if (gathers[k] > longest_gathered) longest_gathered = gathers[k];
    }
    if (own_takes > longest_taken) longest_taken = own_takes;
    if (results > longest_taken) longest_taken = results;
  }
};

/// A call on one rank, as many threads run it: each calls greet or work, then everything is finished by finish.
///
/// Every rank pushes packs into the rows that are its own in its peers' regions; a pack's last word tells its reader
/// that it is there, and who has read it empties its place. Three turns: call e uses turn e % 3.
///   As call e begins, a rank gives every peer a receipt: what came before call e it has read and emptied. Who finishes
///   call e+1 has got the receipts of call e, which are long there. So what is written in call e+2 to turn (e-1) % 3
///   finds its place empty, and nobody has waited for that.
///   Who finishes call e has also got every peer's greeting of call e, which says what it calls.
/// Units (see packing) go by their number to threads, the same in all loops: in place, what a thread overwrites it has
/// read itself. A thread pushes all it has to push before it waits, so ranks may use different grids and no thread
/// needs another one's company.
/// A reduction that `finishes` is asked once more, with what the result held before and what was folded.
/// Memory: how packs and words are read and written; see device_access, and tests for threads of the host.
template <class Memory, class Reduction, int Most, bool Folds, bool Hands_on>
class push_worker {
 public:
  using element = typename Reduction::element;
  using task = push_task<element, Most>;
  using units = packing<element>;

  /// epoch: the control's, before anybody has finished.
  TUTTI_FUN push_worker(const Memory& memory, const task& call, const Reduction& op, std::uint32_t epoch)
      : memory_(memory), call_(call), op_(op), epoch_(epoch) {}

  /// One thread a peer, by number: tells it what is called here, hears what it calls, and exchanges receipts.
  TUTTI_FUN bool greet(int k) {
    if (k >= call_.ranks || k == 0) return true;
    const std::uint32_t turn = epoch_ % push_region::turns * std::uint32_t(call_.ranks);
    const int peer = call_.rank + k < call_.ranks ? call_.rank + k : call_.rank + k - call_.ranks;
    const pack mine{{call_.print, std::uint32_t(call_.bytes), std::uint32_t(call_.bytes >> 32), epoch_}};
    memory_.store(call_.greets[k] + turn, mine);
    memory_.give_receipt(*call_.receipts[k], epoch_);
    pack theirs{};
    for (std::uint32_t polls = 0; theirs.word[3] != epoch_; theirs = memory_.load(call_.greetings + turn + peer))
      if (!patient(polls, peer)) return false;
    const bool same_call = theirs.word[0] == mine.word[0];
    if (!same_call || theirs.word[1] != mine.word[1] || theirs.word[2] != mine.word[2])
      return stop(same_call ? push_report::other_length : push_report::other_call, peer,
                  std::uint64_t(theirs.word[2]) << 32 | theirs.word[1]);
    const std::uint32_t& receipt = call_.receipts[0][std::size_t(peer) * (sizeof(pack) / sizeof receipt)];
    for (std::uint32_t polls = 0; std::int32_t(memory_.receipt(receipt) - (epoch_ - 1)) < 0;)
      if (!patient(polls, peer)) return false;
    return true;
  }

  /// Thread number `thread` of so many.
  TUTTI_FUN bool work(std::uint32_t thread, std::uint32_t threads) {
    push(thread, threads);
    return receive(thread, threads) && (!Hands_on || gather(thread, threads));
  }

  /// By one thread, after all have worked.
  TUTTI_FUN void finish() const {
    call_.control->epoch = epoch_ + 1 == 0 ? 1 : epoch_ + 1;  // never 0, and the next turn: 2^32 - 1 is a multiple of 3
  }

 private:
  using unit_packs = pack[units::packs];
  using unit_values = element[units::elements];
  /// Elements of a unit that are there.
  TUTTI_FUN static int within(std::uint32_t count, std::uint32_t unit) {
    constexpr auto elements = std::uint32_t(units::elements);
    const std::uint32_t first = unit * elements;
    return first >= count ? 0 : count - first < elements ? int(count - first) : int(elements);
  }
  template <class Pointer>
  TUTTI_FUN static Pointer at(Pointer from, std::uint32_t unit) {
    return from + std::size_t(unit) * std::size_t(units::elements);
  }
  /// The packs of a unit lie apart, so that neighbouring threads write side by side.
  TUTTI_FUN std::size_t slot(int part, std::uint32_t unit, int i) const {
    return std::size_t(epoch_ % push_region::turns * call_.turn + std::uint32_t(part) * call_.part) + unit +
           std::uint32_t(i) * (call_.row / std::uint32_t(units::packs));
  }
  TUTTI_FUN pack* own_slot(int part, std::uint32_t unit, int i, int from) const {
    return call_.to[0] + slot(part, unit, i) + std::size_t(from) * call_.row;
  }

  TUTTI_FUN void send(int k, int part, std::uint32_t unit, const unit_packs& what) const {
    TUTTI_UNROLL
    for (int i = 0; i < units::packs; ++i) memory_.store(call_.to[k] + slot(part, unit, i), what[i]);
  }

  TUTTI_FUN void push(std::uint32_t thread, std::uint32_t threads) const {
    const auto last = std::uint32_t(units::units(call_.longest_given));
    for (std::uint32_t unit = thread; unit < last; unit += threads)
      call_.same_for_all ? push_same(unit) : push_each(unit);
  }
  TUTTI_FUN void push_same(std::uint32_t unit) const {
    unit_values values;
    unit_packs what;
    units::read(at(call_.own, unit), within(call_.longest_given, unit), call_.aligned, values);
    units::put(values, what);
    TUTTI_UNROLL
    for (int k = 1; k < Most; ++k)
      if (within(call_.gives[k], unit) != 0) send(k, 0, unit, what);
  }
  TUTTI_FUN void push_each(std::uint32_t unit) const {
    unit_values values[Most];
    TUTTI_UNROLL
    for (int k = 1; k < Most; ++k)  // all loads before the first store
      units::read(at(call_.give[k], unit), within(call_.gives[k], unit), call_.aligned, values[k]);
    TUTTI_UNROLL
    for (int k = 1; k < Most; ++k) {
      if (within(call_.gives[k], unit) == 0) continue;
      unit_packs what;
      units::put(values[k], what);
      send(k, 0, unit, what);
    }
  }

  /// Looks once at a unit from each of these ranks. Returns one that isn't there yet, or -1.
  TUTTI_FUN int look(int part, std::uint32_t unit, std::uint32_t from, unit_packs (&got)[Most]) const {
    int missing = -1;
    TUTTI_UNROLL
    for (int rank = 0; rank < Most; ++rank) {
      if ((from >> rank & 1u) == 0) continue;
      TUTTI_UNROLL
      for (int i = 0; i < units::packs; ++i) {
        got[rank][i] = memory_.load(own_slot(part, unit, i, rank));
        if (got[rank][i].word[3] == empty_word) missing = rank;
      }
    }
    return missing;
  }
  TUTTI_FUN void empty(int part, std::uint32_t unit, std::uint32_t from) const {
    TUTTI_UNROLL
    for (int rank = 0; rank < Most; ++rank) {
      if ((from >> rank & 1u) == 0) continue;
      TUTTI_UNROLL
      for (int i = 0; i < units::packs; ++i) memory_.store(own_slot(part, unit, i, rank), {{0, 0, 0, empty_word}});
    }
  }
  /// Takes what from(unit) says of this thread's units: use(unit, ranks, packs). Then their places are empty again.
  template <class From, class Use>
  TUTTI_FUN bool take_all(int part, std::uint32_t last, std::uint32_t thread, std::uint32_t threads, From from,
                          Use use) {
    for (std::uint32_t unit = thread; unit < last; unit += threads) {
      unit_packs got[Most];
      const std::uint32_t ranks = from(unit);
      int missing = look(part, unit, ranks, got);
      for (std::uint32_t polls = 0; missing >= 0; missing = look(part, unit, ranks, got))
        if (!patient(polls, missing)) return false;
      use(unit, ranks, got);
      empty(part, unit, ranks);
    }
    return true;
  }
  /// Ranks, a bit each, of whose so many elements some are in this unit.
  TUTTI_FUN static std::uint32_t with_some(const std::uint32_t (&counts)[Most], std::uint32_t unit) {
    std::uint32_t ranks = 0;
    TUTTI_UNROLL
    for (int rank = 0; rank < Most; ++rank)
      if (within(counts[rank], unit) != 0) ranks |= 1u << rank;
    return ranks;
  }

  TUTTI_FUN bool receive(std::uint32_t thread, std::uint32_t threads) {
    const std::uint32_t folded = ((1u << call_.folded) - 1u) & ~(1u << call_.rank);
    return take_all(
        0, std::uint32_t(units::units(call_.longest_taken)), thread, threads,
        [&](std::uint32_t unit) { return Folds ? folded : with_some(call_.takes, unit); },
        [&](std::uint32_t unit, std::uint32_t ranks, unit_packs(&got)[Most]) {
          if constexpr (Folds)
            fold(unit, got);
          else
            keep(unit, ranks, got);
        });
  }

  TUTTI_FUN void fold(std::uint32_t unit, unit_packs (&got)[Most]) const {
    const int have = within(call_.results, unit);
    unit_values own;
    units::read(at(call_.own, unit), call_.rank < call_.folded ? have : 0, call_.aligned, own);
    units::as_sent(own);
    typename Reduction::accumulator total[units::elements];
    TUTTI_UNROLL
    for (int rank = 0; rank < Most; ++rank) {
      if (rank >= call_.folded) break;
      unit_values theirs;
      units::get(got[rank], theirs);
      TUTTI_UNROLL
      for (int i = 0; i < units::elements; ++i) {
        if (i >= have) break;
        element one = theirs[i];  // a reference to either array would put both into memory
        if (rank == call_.rank) one = own[i];
        total[i] = rank == 0 ? op_.lift(one) : op_.combine(total[i], op_.lift(one));
      }
    }
    unit_values result;
    TUTTI_UNROLL
    for (int i = 0; i < units::elements; ++i) result[i] = i < have ? op_.lower(total[i], call_.folded) : element{};
    if constexpr (requires { Reduction::finishes; }) {
      unit_values before;
      units::read(at(call_.result, unit), Reduction::reads_result ? have : 0, call_.aligned, before);
      TUTTI_UNROLL
      for (int i = 0; i < units::elements; ++i)
        if (i < have) result[i] = op_.finish(before[i], result[i]);
    }
    if constexpr (Hands_on) {
      unit_packs what;
      units::put(result, what);
      hand_on(unit, what);
      units::as_sent(result);
    }
    if (call_.result != nullptr) units::write(result, have, call_.aligned, at(call_.result, unit));
  }

  TUTTI_FUN void keep(std::uint32_t unit, std::uint32_t from, unit_packs (&got)[Most]) const {
    TUTTI_UNROLL
    for (int rank = 0; rank < Most; ++rank) {
      if ((from >> rank & 1u) == 0) continue;
      unit_values values;
      units::get(got[rank], values);
      units::write(values, within(call_.takes[rank], unit), call_.aligned, at(call_.take[rank], unit));
      if constexpr (Hands_on) hand_on(unit, got[rank]);
    }
    const int have = within(call_.own_takes, unit);
    if (have == 0 || !(Hands_on || call_.keeps_own)) return;
    unit_values values;
    units::read(at(call_.own, unit), have, call_.aligned, values);
    if (call_.keeps_own) units::write(values, have, call_.aligned, at(call_.result, unit));
    if constexpr (Hands_on) {
      unit_packs what;
      units::put(values, what);
      hand_on(unit, what);
    }
  }

  TUTTI_FUN void hand_on(std::uint32_t unit, const unit_packs& what) const {
    TUTTI_UNROLL
    for (int k = 1; k < Most; ++k)
      if ((call_.hands_on_to >> k & 1u) != 0) send(k, 1, unit, what);
  }

  TUTTI_FUN bool gather(std::uint32_t thread, std::uint32_t threads) {
    return take_all(
        1, std::uint32_t(units::units(call_.longest_gathered)), thread, threads,
        [&](std::uint32_t unit) { return with_some(call_.gathers, unit); },
        [&](std::uint32_t unit, std::uint32_t ranks, unit_packs(&got)[Most]) {
          TUTTI_UNROLL
          for (int rank = 0; rank < Most; ++rank) {
            if ((ranks >> rank & 1u) == 0) continue;
            unit_values values;
            units::get(got[rank], values);
            units::write(values, within(call_.gathers[rank], unit), call_.aligned, at(call_.gather[rank], unit));
          }
        });
  }

  /// False where waiting makes no sense any more.
  TUTTI_FUN bool patient(std::uint32_t& polls, int peer) {
    if ((++polls & 1023u) != 0) return true;
    if (memory_.stopped(call_.control->stop) || memory_.ordered(call_.orders->stop)) return false;
    const std::int64_t now = memory_.now();
    if (since_ == 0) since_ = now;
    return now - since_ < call_.patience || stop(push_report::silent_peer, peer, 0);
  }
  TUTTI_FUN bool stop(std::uint32_t why, int peer, std::uint64_t peers_bytes) const {
    if (!memory_.stops_first(call_.control->stop)) return false;
    push_report& report = *call_.report;
    report.peer = std::uint32_t(peer);
    report.collective = call_.collective;
    report.operation = epoch_;
    report.bytes = call_.bytes;
    report.peers_bytes = peers_bytes;
    memory_.tell(report.state, why);
    return false;
  }

  const Memory& memory_;
  const task& call_;
  const Reduction& op_;
  std::uint32_t epoch_;
  std::int64_t since_ = 0;
};

}  // namespace tutti::detail
