// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compositions, on placements of every kind.
#include <tutti/algorithm/list.hpp>
#include <tutti/algorithm/verify_levels.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

namespace {

using tutti::direct;
using tutti::flaw;
using tutti::hierarchical;
using tutti::lanes;
using tutti::ring;
using tutti::tree;

constexpr std::array<int, 6> pairs{0, 0, 1, 1, 2, 2}, uneven{0, 0, 0, 1, 2, 2}, cyclic{0, 1, 2, 0, 1, 2},
    together{7, 7, 7, 7, 7, 7}, alone{5, 4, 3, 2, 1, 0};

template <class Algorithm>
constexpr bool holds(const std::array<int, 6>& colors, bool ordered) {
  const tutti::verdict found = tutti::check_levels<Algorithm>(colors);
  return found && found.rank_order == ordered;
}

static_assert(holds<hierarchical<direct, tree>>(pairs, true));
static_assert(holds<hierarchical<direct, tree>>(uneven, true));
static_assert(holds<hierarchical<direct, tree>>(cyclic, false));
static_assert(holds<hierarchical<direct, tree>>(together, true));
static_assert(holds<hierarchical<direct, tree>>(alone, true));
static_assert(holds<hierarchical<tree, ring>>(pairs, false));
static_assert(holds<lanes<tree>>(pairs, true));
static_assert(holds<lanes<ring>>(cyclic, false));

// 1 round to the leader, 2 up and 2 down again, 1 round back; a vector, two, and a vector.
static_assert(tutti::check_levels<hierarchical<tree, tree>>(pairs).measured == tutti::cost{1 + 4 + 1, 1 + 2 + 1});

}  // namespace

TEST_CASE("compositions of every list algorithm on larger worlds") {
  int proved = 0;
  tutti::every_algorithm::for_each([&](auto inner) {
    using first = decltype(inner);
    if constexpr (requires {
                    first::schedule(tutti::collective::reduce{});
                    first::schedule(tutti::collective::broadcast{});
                  })
      for (const int ranks : {2, 7, 16, 30, 61})
        for (const int node : {1, 2, 3, 8, 100})
          for (const bool spread : {false, true}) {
            std::vector<int> colors;
            for (int rank = 0; rank < ranks; ++rank) colors.push_back(spread ? rank % node : rank / node);
            const tutti::verdict found = tutti::check_levels<hierarchical<first, tutti::recursive_doubling>>(colors);
            CAPTURE(first::name);
            CAPTURE(ranks);
            CAPTURE(node);
            CHECK(found.found == flaw::none);
            ++proved;
          }
  });
  CHECK(proved > 200);
}
