// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/copy.hpp>
#include <tutti/core/partition.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// Where a rank's operands lie, as its peers may see them; 0 for what they can't reach.
struct window {
  std::uint64_t input = 0, result = 0;
  /// The same in this rank's process; 0 where it can't read everyone else's, or that isn't worth it.
  std::uint64_t input_address = 0, result_address = 0;
};

/// A collective without stages. On memory that all ranks can reach each rank folds its block straight from everyone's
/// input and writes it straight into everyone's result, or copies what is for it from where it lies: for n bytes on p
/// ranks all_reduce reads and writes n, and nothing else moves. By address each rank copies from the peers' processes:
/// its block of everyone's input, tile by tile, to fold it, and everyone's block of the result. The order of folding is
/// that of the stages. All have entered before anyone works, and whose memory is used leaves after all are ready.
template <class Communicator, class Collective, class Reduction>
class windows {
 public:
  using element = typename Reduction::element;
  using memory = storage<element, typename Reduction::accumulator>;

  static constexpr bool folds_for_all =
      std::same_as<Collective, collective::all_reduce> || std::same_as<Collective, collective::reduce>;
  static constexpr bool scatters_folds = std::same_as<Collective, collective::reduce_scatter>;
  static constexpr bool broadcasts = std::same_as<Collective, collective::broadcast>;
  static constexpr bool gathers = std::same_as<Collective, collective::all_gather>;
  static constexpr bool swaps = std::same_as<Collective, collective::all_to_all>;
  static constexpr bool served = folds_for_all || scatters_folds || broadcasts || gathers || swaps;

  /// What is long goes from process to process where the system allows it: on its way through a stage it is copied once
  /// more. Microseconds by stages / by address on 16 and 32 cores of one socket:
  ///   a block of         128 KiB       256 KiB       1 MiB
  ///   all_to_all, 2      26 / 24       68 / 55       330 / 254
  ///   all_to_all, 8      363 / 195     746 / 345     3258 / 1654
  ///   all_to_all, 32     2644 / 1829   6855 / 5213   27723 / 24178
  ///   all_gather, 4      84 / 79       173 / 163     694 / 612
  ///   all_gather, 8      169 / 198     348 / 369     1409 / 1242
  ///   all_gather, 32     1101 / 1759   2906 / 3612   15790 / 17916
  ///   a vector of        1 MiB         4 MiB         16 MiB
  ///   all_reduce, 2      168 / 165     895 / 582     4549 / 3108
  ///   all_reduce, 4      249 / 259     1052 / 848    5738 / 5422
  ///   all_reduce, 8                    1641 / 1660   8269 / 9112
  ///   reduce_scatter, 8  280 / 226     1141 / 710    5642 / 3804
  /// So where many read the same memory it isn't worth it. One source alone (broadcast) is copied out while it is
  /// copied in, which is faster still. And all that only where the system copies fast: it takes about twice a loop's
  /// time there, and six times on a Zen 5, where stages are faster (2 ranks, vectors of 512 KiB, 2 MiB, 8 MiB:
  /// all_gather 18 / 27, 100 / 154, 370 / 620; all_to_all 19 / 31, 100 / 121, 410 / 520).
  static constexpr bool folds_by_address = std::same_as<Collective, collective::all_reduce> || scatters_folds;
  static constexpr bool by_address = folds_by_address || gathers || swaps;
  /// It has a second half: the results are read after all have folded.
  static constexpr bool two_halves = std::same_as<Collective, collective::all_reduce>;
  static constexpr double most_cost = 3.5;  // of a copy by the system, in those of a loop
  static bool worth_an_address(int size, std::size_t block_bytes) {
    constexpr std::size_t kib = 1024;
    if (folds_by_address)
      return block_bytes >= 128 * kib && block_bytes * std::size_t(size) >= 4096 * kib &&
             (scatters_folds || size <= 4) && tile(size) != 0 && Communicator::cost_of_memory_copy() < most_cost;
    return block_bytes >= (gathers && size > 2 ? 256 : 128) * kib && (swaps || size <= 4) &&
           Communicator::cost_of_memory_copy() < most_cost;
  }

  windows(Communicator& comm, const memory& where, place here) : comm_(comm), where_(where), here_(here) {}

  /// What this rank shows; nothing where that would not do.
  window own() const {
    const auto& given = where_.given();
    window shown;
    const std::size_t sent = gathers ? cut()[here_.rank].count : given.count;
    if (gives(here_.rank)) shown.input = comm_.window_on(given.input, sent * sizeof(element));
    if (takes(here_.rank)) shown.result = comm_.window_on(given.result, given.count * sizeof(element));
    if (shown.input == 0 && gives(here_.rank)) shown = {};
    if constexpr (by_address)
      if (worth_an_address(here_.size, cut().largest() * sizeof(element)) && comm_.reads_all_memory()) {
        shown.input_address = reinterpret_cast<std::uintptr_t>(given.input);
        shown.result_address = reinterpret_cast<std::uintptr_t>(given.result);
      }
    return shown;
  }
  /// Everything that others must reach they can.
  bool complete(int rank, const window& shown) const {
    return (!gives(rank) || shown.input != 0) && (!takes(rank) || shown.result != 0);
  }
  /// It can read what all have by address, and they what it has.
  static bool readable(const window& shown) { return shown.input_address != 0; }
  /// It would have something to stage, and has not, as its memory may do instead.
  bool holds_back(int rank, const window& shown) const {
    return gives(rank) && (complete(rank, shown) || readable(shown));
  }
  /// Others use this rank's memory: it must wait for them.
  bool used() const { return gives(here_.rank) || takes(here_.rank); }

  /// window_of(rank) gives what that rank has shown.
  template <class Window_of>
  void work(const Reduction& op, Window_of&& window_of) const {
    if constexpr (folds_for_all)
      fold_for_all(op, window_of);
    else if constexpr (scatters_folds)
      fold_own(op, window_of);
    else if constexpr (broadcasts)
      take_from_root(window_of);
    else
      take_from_all(window_of, true);
  }
  /// The same by address, or its first half; room is for room_bytes.
  template <class Window_of>
  void work_by_address(const Reduction& op, Window_of&& window_of, std::byte* room) const {
    if constexpr (folds_by_address)
      fold_by_address(op, window_of, reinterpret_cast<element*>(room));
    else if constexpr (by_address)
      take_from_all(window_of, false);
  }
  /// What the first half needs for copies.
  std::size_t room_bytes() const {
    return folds_by_address ? std::size_t(here_.size) * tile(here_.size) * sizeof(element) : 0;
  }
  template <class Window_of>
  void gather_by_address(Window_of&& window_of) const {
    for (int turn = 1; turn < here_.size; ++turn) {
      const int owner = here_.wrap(here_.rank + turn);  // everyone starts with another one
      const range block = cut()[owner];
      if (block.count != 0)
        fetch(owner, window_of(owner).result_address, block.first, where_.given().result + block.first, block.count);
    }
  }

 private:
  bool gives(int rank) const { return !broadcasts || rank == here_.root; }
  bool takes(int rank) const {
    return folds_for_all && (std::same_as<Collective, collective::all_reduce> || rank == here_.root);
  }
  partition cut() const { return {where_.given().count, here_.size}; }
  const element* input_at(const window& shown, std::size_t first) const {
    return reinterpret_cast<const element*>(comm_.at_window(shown.input)) + first;
  }

  template <class Window_of>
  void fold_for_all(const Reduction& op, Window_of& window_of) const {
    constexpr std::size_t tile = sizeof(element) < 4096 ? 8192 / sizeof(element) : 1;
    alignas(64) alignas(element) std::byte room[tile * sizeof(element)];
    const range mine = cut()[here_.rank];
    const auto result_of = [&](int rank) {
      return reinterpret_cast<element*>(comm_.at_window(window_of(rank).result)) + mine.first;
    };
    // The own result is the first of the copies, unless it grows where the input lies and that is read too late: 64 KiB
    // on 2 ranks 1.8 -> 1.4 us, 1 MiB 25 -> 19. What no cache holds is written faster by copies alone (64 MiB 5.0, 5.3
    // ms).
    constexpr std::size_t most_cached = std::size_t(16) << 20;
    const bool straight = takes(here_.rank) && where_.given().count * sizeof(element) <= most_cached &&
                          (Reduction::accumulates || here_.rank < 2 ||
                           input_at(window_of(here_.rank), mine.first) != result_of(here_.rank));
    for (std::size_t done = 0; done < mine.count; done += tile) {
      const std::size_t length = done + tile < mine.count ? tile : mine.count - done;
      element* const folded = straight ? result_of(here_.rank) + done : reinterpret_cast<element*>(room);
      fold_in_rank_order(
          op, here_.size, [&](int rank) { return input_at(window_of(rank), mine.first + done); }, folded, length);
      for (int rank = 0; rank < here_.size; ++rank)
        if (takes(rank) && !(straight && rank == here_.rank))
          copy_bytes(result_of(rank) + done, folded, length * sizeof(element));
    }
  }
  template <class Window_of>
  void fold_own(const Reduction& op, Window_of& window_of) const {
    const range mine = cut()[here_.rank];
    if (mine.count != 0)
      fold_in_rank_order(
          op, here_.size, [&](int rank) { return input_at(window_of(rank), mine.first); },
          static_cast<element*>(where_.write(form::final, here_.rank, 0)), mine.count);
  }
  /// In tiles that stay in the core's own cache while they are folded.
  static constexpr std::size_t tile(int size) {
    const std::size_t fair = Communicator::stage_bytes() / std::size_t(size), most = 128 * 1024;
    return (fair < most ? fair : most) / sizeof(element);
  }
  template <class Window_of>
  void fold_by_address(const Reduction& op, Window_of& window_of, element* room) const {
    const std::size_t longest = tile(here_.size);
    const range mine = cut()[here_.rank];
    for (std::size_t done = 0; done < mine.count; done += longest) {
      const std::size_t length = done + longest < mine.count ? longest : mine.count - done, first = mine.first + done;
      const auto copied = [&](int rank) { return room + std::size_t(rank) * longest; };
      for (int turn = 1; turn < here_.size; ++turn) {
        const int peer = here_.wrap(here_.rank + turn);
        fetch(peer, window_of(peer).input_address, first, copied(peer), length);
      }
      element* const out = where_.given().result + (first - where_.given().result_first);
      const element* own = where_.given().input + first;
      // The result grows where the input lies, which is read first only on the first two ranks.
      if (own == out && here_.rank >= 2 && !Reduction::accumulates) {
        copy_bytes(copied(here_.rank), own, length * sizeof(element));
        own = copied(here_.rank);
      }
      fold_in_rank_order(
          op, here_.size, [&](int rank) { return rank == here_.rank ? own : copied(rank); }, out, length);
    }
  }
  /// Elements from a peer's process.
  void fetch(int peer, std::uint64_t address, std::size_t first, void* to, std::size_t count) const {
    comm_.copy_from_memory(peer, address + first * sizeof(element), to, count * sizeof(element));
  }
  template <class Window_of>
  void take_from_root(Window_of& window_of) const {
    const std::size_t count = where_.given().count;
    if (here_.rank != here_.root && count != 0)
      copy_bytes(where_.write(form::final, 0, 0), input_at(window_of(here_.root), 0), count * sizeof(element));
  }
  /// The elements of a block from where a peer has them, in whatever way it can be reached.
  void take(int peer, const window& shown, bool shared, std::size_t first, void* to, std::size_t count) const {
    if (!shared && peer != here_.rank) return fetch(peer, shown.input_address, first, to, count);
    const element* from = shared ? input_at(shown, first) : where_.given().input + first;
    if (from != to) copy_bytes(to, from, count * sizeof(element));
  }
  template <class Window_of>
  void take_from_all(Window_of& window_of, bool shared) const {
    for (int turn = 0; turn < here_.size; ++turn) {
      const int peer = here_.wrap(here_.rank + turn);  // everyone starts with another one
      const int block = swaps ? here_.wrap(here_.rank - peer) : peer;
      const std::size_t count = where_.count(block, true);
      if (count == 0) continue;
      take(peer, window_of(peer), shared, swaps ? cut()[here_.rank].first : 0, where_.write(form::final, block, 0),
           count);
    }
  }

  Communicator& comm_;
  const memory& where_;
  place here_;
};

}  // namespace tutti::detail
