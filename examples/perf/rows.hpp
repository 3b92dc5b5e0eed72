// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "buffers.hpp"
#include "case.hpp"
#include "collectives.hpp"
#include "oracle.hpp"
#include "session.hpp"

#include <cstddef>
#include <type_traits>
#include <vector>

namespace perf {

// Which rows a collective gets: for each size one of each algorithm. How one is measured is the business of
//   How::measure<Collective, Element, Op>(session, algorithm, other, buffers, place, row)
// where other is null without --versus, and which hands the row to session::take.

template <class How, class Collective, class Element, class Op>
void measure_sizes(session& run, const collective& self, row measured) {
  const auto& chosen = run.chosen();
  const auto candidates = self.over(run.ranks().transport()).candidates(chosen, chosen.algorithm);
  std::vector<candidate> others;
  if (chosen.versus) others = self.over(chosen.versus->transport).candidates(chosen, chosen.versus->algorithm);
  const candidate* const other = others.empty() ? nullptr : &others[0];
  const auto at = [&](place where, const extents& lengths) {
    where.in_place = measured.in_place;
    buffers<Element> memory(lengths, measured.in_place, [&](std::size_t bytes) { return run.take_memory(bytes); });
    measured.count = where.count;
    measured.bytes = where.count * sizeof(Element);
    for (const auto& algorithm : candidates)
      How::template measure<Collective, Element, Op>(run, algorithm, other, memory, where, measured);
  };
  if constexpr (moves_data<Collective>) {
    std::size_t last = 0;
    for (std::size_t count : chosen.sizes.counts(sizeof(Element))) {
      if constexpr (requires { Collective::fitting(count, 1); }) count = Collective::fitting(count, run.ranks().size());
      if (count == last) continue;
      last = count;
      const place where = run.here(count);
      at(where, Collective::lengths(where));
    }
  } else {
    at(run.here(0), {});
  }
}

template <class How, class Collective>
void measure_rows(session& run, const collective& self) {
  const auto& chosen = run.chosen();
  row measured;
  measured.collective = Collective::name;
  measured.type = moves_data<Collective> ? chosen.type : "none";
  measured.op = Collective::reduces ? chosen.op : "none";
  measured.memory = chosen.memory;
  measured.in_place = moves_data<Collective> && (Collective::in_place == placing::always || chosen.in_place);
  measured.bus_factor = Collective::bus_factor(run.ranks().size());
  if (chosen.versus) measured.other = chosen.versus->name();
  if (chosen.check && moves_data<Collective>) measured.wrong = 0;
  with_pair<Collective>(chosen.type, chosen.op,
                        [&]<class Element, class Op>(std::type_identity<Element>, std::type_identity<Op>) {
                          measure_sizes<How, Collective, Element, Op>(run, self, measured);
                        });
}

}  // namespace perf
