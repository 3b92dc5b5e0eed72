// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/error.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/engine/fold.hpp>
#include <tutti/engine/storage.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/obligation.hpp>

#include <concepts>
#include <cstddef>

namespace tutti::detail {

/// A world of one: nothing travels, but the operator still sees the elements.
template <class Collective, class Reduction>
class alone_executor {
 public:
  using element = typename Reduction::element;

  alone_executor(const Reduction& op, operands<element>&& given)
      : op_(op), where_(static_cast<operands<element>&&>(given), place{}, 1) {
    if (where_.given().agrees) agree();
  }

  progress step() const {
    const std::size_t count = where_.count(0, false);
    if (count == 0 || contributions<Collective>(0, 1) == 0) return progress::done;
    if (Collective::reduces || Collective::per_rank)  // else the result is the input
      fold_loops<Reduction>{op_, 1}.store(where_.read(form::input, 0, 0), form::input, where_.write(form::final, 0, 0),
                                          form::final, count);
    return progress::done;
  }
  void restart() const {}

 private:
  /// The own part is the whole.
  void agree() {
    auto& all = where_.settle();
    std::size_t own = all.word, whole = all.listed ? all.table[0].sent : all.whole_room;
    if (std::derived_from<Collective, collective::all_to_all>) own = whole = 0;  // compared before
    if (own != whole)
      fail(errc::bad_argument, 0, "%s on rank 0: in and out have %zu and %zu elements, expected the same",
           Collective::name, own, whole);
    where_.cut(own);
    if (all.table.empty()) return;
    auto& block = all.table[0];
    if (block.input == nullptr) block.input = all.input;
    if (block.result == nullptr) block.result = all.result;
    if (!std::derived_from<Collective, collective::all_to_all>) block.sent = block.received = own;
  }

  Reduction op_;
  storage<element, typename Reduction::accumulator> where_;
};

}  // namespace tutti::detail
