// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/core/partition.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/collective.hpp>

#include <concepts>
#include <cstddef>

namespace tutti::detail {

/// The counts of all ranks become known as the ranks enter the operation, each with a word: the length of its own part.
/// Ranks only give their own lengths, and what they give is checked against what the others gave.
template <class Collective, class Communicator, class Storage>
class agreement {
 public:
  agreement(Communicator& comm, Storage& where) : comm_(comm), where_(where) {}

  /// All peers have entered.
  static bool complete(Communicator& comm, int& peer) {
    for (; peer < comm.size(); ++peer)
      if (peer != comm.rank() && !comm.joined(peer)) return false;
    return true;
  }

  void settle() {
    if constexpr (std::derived_from<Collective, collective::all_to_all>)
      settle_longest();
    else if (where_.given().table.empty())
      settle_even();
    else
      settle_table();
  }

 private:
  using operands_type = std::remove_reference_t<decltype(std::declval<Storage&>().settle())>;
  static constexpr bool scatters = std::derived_from<Collective, collective::scatter>;
  static constexpr bool reduces = std::derived_from<Collective, collective::reduce_scatter>;
  /// The own part is what this rank gets, not what it gives.
  static constexpr bool own_is_result = scatters || reduces;

  std::size_t word_of(int rank) const {
    return rank == comm_.rank() ? where_.given().word : std::size_t(comm_.payload_of(rank));
  }
  bool has_whole() const {
    return std::derived_from<Collective, collective::all_gather> || reduces || comm_.rank() == where_.given().root;
  }

  [[noreturn]] void refuse(const char* argument, std::size_t found, std::size_t expected) const {
    fail(errc::bad_argument, comm_.rank(), "%s on rank %d: %s has %zu elements, expected %zu", Collective::name,
         comm_.rank(), argument, found, expected);
  }

  void settle_longest() {
    auto& given = where_.settle();
    given.longest = 0;
    for (int rank = 0; rank < comm_.size(); ++rank)
      if (word_of(rank) > given.longest) given.longest = word_of(rank);
  }

  /// gather and scatter: the shards of one even partition.
  void settle_even() {
    auto& given = where_.settle();
    std::size_t total = 0;
    if constexpr (scatters)
      total = comm_.rank() == given.root ? given.whole_room : std::size_t(comm_.payload_of(given.root));
    else
      for (int rank = 0; rank < comm_.size(); ++rank) total += word_of(rank);
    where_.cut(total);
    const range mine = shard(total, comm_.size(), comm_.rank());
    if constexpr (scatters) {
      given.result_first = mine.first;
      if (given.word != mine.count && comm_.rank() != given.root) refuse("out", given.word, mine.count);
    } else {
      given.input_first = mine.first;
      if (given.word != mine.count) refuse("in", given.word, mine.count);
      if (comm_.rank() == given.root && given.whole_room != total) refuse("out", given.whole_room, total);
    }
  }

  /// The _v forms and lists: block r has as many elements as rank r said.
  void settle_table() {
    auto& given = where_.settle();
    std::size_t total = 0;
    given.longest = 0;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const std::size_t count = word_of(rank);
      auto& block = given.table[std::size_t(rank)];
      if (given.listed && has_whole() && block.sent != count)
        fail(errc::bad_argument, comm_.rank(),
             "%s on rank %d: the block of rank %d has %zu elements here, but %zu on rank %d", Collective::name,
             comm_.rank(), rank, block.sent, count, rank);
      if (!given.listed) {
        block.input = own_is_result && has_whole() ? given.input + total : nullptr;
        block.result = !own_is_result && has_whole() ? given.result + total : nullptr;
      }
      if (rank == comm_.rank()) {
        if (own_is_result)
          block.result = given.result;
        else
          block.input = given.input;
      }
      block.sent = block.received = count;
      block.first = total;
      total += count;
      if (count > given.longest) given.longest = count;
    }
    if (has_whole() && !given.listed && given.whole_room != total)
      refuse(own_is_result ? "in" : "out", given.whole_room, total);
    where_.cut(total);
  }

  Communicator& comm_;
  Storage& where_;
};

}  // namespace tutti::detail
