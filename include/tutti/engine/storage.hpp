// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/partition.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/schedule/transfer.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// One block of a collective whose blocks have lengths and places of their own.
template <class Element>
struct block_entry {
  const Element* input;
  Element* result;
  std::size_t sent, received;  // elements; they differ in all_to_all_v only
  std::size_t first;           // elements before it in scratch
};

/// What a collective hands to the engine: its vector, cut evenly or by a table, and where this rank's parts are.
template <class Element>
struct operands {
  const Element* input = nullptr;  // the whole's elements from input_first on
  Element* result = nullptr;       // from result_first on; null where this rank gets none
  std::size_t input_first = 0;
  std::size_t result_first = 0;
  std::size_t count = 0;  // of the whole
  int root = 0;
  bool in_place = false;
  bool whole_result = false;     // result has room for all count elements
  bool own_block_given = false;  // the own block is in the input and must come into the result first
  bool relative = false;         // block b goes to rank + b, and comes from rank - b

  /// Where no rank knows all counts: each brings one word when it enters, and the blocks follow from all of them; see
  /// agreement.hpp.
  bool agrees = false;
  std::size_t word = 0;
  std::size_t whole_room = 0;                  // elements of the range that holds, or gets, the whole
  pooled_array<block_entry<Element>> table{};  // by block; empty where the cut is even
  bool listed = false;                         // the table's places and lengths are given; else they follow
  std::size_t longest = 0;                     // of all blocks on all ranks, with a table
};

/// Where the three forms of a rank's blocks lie during one collective.
template <class Element, class Accumulator>
class storage {
 public:
  storage(operands<Element>&& given, place here, int blocks)
      : given_(static_cast<operands<Element>&&>(given)), here_(here), blocks_(given_.count, blocks) {}

  const operands<Element>& given() const { return given_; }
  /// For the agreement: sets what has become known.
  operands<Element>& settle() { return given_; }
  void cut(std::size_t count) {
    given_.count = count;
    blocks_ = partition(count, blocks_.blocks());
  }
  void cut_into(int blocks) { blocks_ = partition(given_.count, blocks); }
  /// Where partial blocks lie: room for all elements of the whole.
  void keep_partial_in(Accumulator* room) { partial_ = room; }
  Accumulator* result() const { return reinterpret_cast<Accumulator*>(given_.result); }

  /// Elements of the longest block: all ranks cut their chunks by it.
  std::size_t largest() const { return tabled() ? given_.longest : blocks_.largest(); }
  std::size_t count(int block, bool arriving) const {
    if (tabled()) return arriving ? entry(block).received : entry(block).sent;
    return blocks_[block].count;
  }
  /// Elements of neighbouring blocks.
  std::size_t count_of(block_range some) const { return blocks_.span(some.first, some.count).count; }
  /// Neighbouring blocks of this form lie side by side, on this rank as on its peers.
  bool side_by_side(form what) const { return !tabled() && (!given_.relative || what == form::partial); }

  const void* read(form what, int block, std::size_t skipped) const {
    if (what == form::input)
      return tabled() ? entry(block).input + skipped
                      : given_.input + (blocks_.first(position(what, block)) + skipped - given_.input_first);
    return write(what, block, skipped);
  }
  void* write(form what, int block, std::size_t skipped) const {
    if (what == form::partial) return partial_ + (tabled() ? entry(block).first : blocks_.first(block)) + skipped;
    return tabled() ? entry(block).result + skipped
                    : given_.result + (blocks_.first(position(what, block)) + skipped - given_.result_first);
  }
  static constexpr std::size_t bytes_of(form what) {
    return what == form::partial ? sizeof(Accumulator) : sizeof(Element);
  }

 private:
  bool tabled() const { return !given_.table.empty(); }
  const block_entry<Element>& entry(int block) const { return given_.table[std::size_t(block)]; }
  int position(form what, int block) const {
    if (!given_.relative) return block;
    return here_.wrap(what == form::input ? here_.rank + block : here_.rank - block);
  }

  operands<Element> given_;
  place here_;
  partition blocks_;
  Accumulator* partial_ = nullptr;
};

/// True where partial blocks may lie in the result: see schedule::scratch. symbolic_run proves what this decides.
template <schedule Schedule>
constexpr bool partial_in_result(bool same_type, bool whole_result, bool in_place) {
  return same_type && whole_result && (!in_place || !Schedule::scratch);
}

}  // namespace tutti::detail
