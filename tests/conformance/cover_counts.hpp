// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The forms with a count for each rank: _v, lists, and those that return vectors. How much rank a has for rank b is one
// formula; gather_v and its like use what a has for itself.

#include "everywhere.hpp"
#include "operators.hpp"
#include "trial.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace conformance {

enum class shares { zeros, alternating, one_has_none, one_has_all, uneven, beyond_a_letter };
inline constexpr shares all_shares[] = {shares::zeros,       shares::alternating, shares::one_has_none,
                                        shares::one_has_all, shares::uneven,      shares::beyond_a_letter};

inline std::size_t share(shares which, int from, int to, int size) {
  switch (which) {
    case shares::zeros:
      return 0;
    case shares::alternating:
      return std::size_t(from + to) % 2;
    case shares::one_has_none:
      return from == size / 2 ? 0 : 70;
    case shares::one_has_all:
      return from == size - 1 ? 131 : 0;
    case shares::uneven:
      return scramble(std::uint64_t(from), std::uint64_t(to)) % 300;
    case shares::beyond_a_letter:
      return from == size / 2 || to == size / 2 ? 67000 : 1;
  }
  return 0;
}
/// What a rank has for itself: with alternating shares every second rank has one element.
inline std::size_t own_share(shares which, int rank, int size) {
  return share(which, rank, which == shares::alternating ? 0 : rank, size);
}

/// Value i of what `from` has for `to`.
inline int value_for(int from, int to, std::size_t i) {
  return int(scramble(std::uint64_t(from * 64 + to), i) % 1000003);
}
inline std::vector<int> values_for(int from, int to, std::size_t count) {
  std::vector<int> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = value_for(from, to, i);
  return made;
}

/// All that one rank holds of one pattern. `parts` is its list: a part for, or of, each rank.
struct holding {
  int size, rank, root;
  std::vector<std::vector<int>> parts;
  std::vector<int> flat;  // the parts one after the other
  std::vector<std::size_t> lengths;

  void set(std::vector<std::vector<int>> list) {
    parts = std::move(list);
    flat.clear();
    lengths.clear();
    for (const auto& part : parts) {
      flat.insert(flat.end(), part.begin(), part.end());
      lengths.push_back(part.size());
    }
  }
  /// Of the same lengths, poisoned.
  std::vector<std::vector<int>> room() const {
    std::vector<std::vector<int>> made;
    for (const auto& part : parts) made.emplace_back(part.size(), -1);
    return made;
  }
};

/// The forms of one collective with one algorithm: each throws text where something is wrong.
template <class Collective>
struct counted_forms;

template <>
struct counted_forms<tutti::collective::gather_v> {
  template <class Communicator, class... Options>
  static void call(Communicator& comm, shares which, int root, const Options&... options) {
    const bool here = comm.rank() == root;
    holding all{comm.size(), comm.rank(), root, {}, {}, {}};
    std::vector<std::vector<int>> list;
    for (int r = 0; r < comm.size(); ++r) list.push_back(values_for(r, r, own_share(which, r, comm.size())));
    all.set(list);
    const auto& own = all.parts[std::size_t(comm.rank())];
    guarded<int> out(here ? all.flat.size() : 3);
    tutti::gather_v(comm, own, out.span(), root, options...);
    expect(comm, out.guards_intact(), "gather_v wrote beside its output");
    expect(comm, here ? std::ranges::equal(out.span(), all.flat) : out.untouched(), "gather_v", long(which));
    auto room = here ? all.room() : std::vector<std::vector<int>>{};
    tutti::gather(comm, own, room, root, options...);
    expect(comm, !here || room == all.parts, "gather into a list", long(which));
    const auto returned = tutti::gather_v(comm, own, root, options...);
    expect(comm, returned.counts == all.lengths, "gather_v returns other counts", long(which));
    expect(comm, returned.elements == (here ? all.flat : std::vector<int>{}), "gather_v returns", long(which));
  }
};

template <>
struct counted_forms<tutti::collective::scatter_v> {
  template <class Communicator, class... Options>
  static void call(Communicator& comm, shares which, int root, const Options&... options) {
    const bool here = comm.rank() == root;
    holding all{comm.size(), comm.rank(), root, {}, {}, {}};
    std::vector<std::vector<int>> list;
    for (int r = 0; r < comm.size(); ++r) list.push_back(values_for(root, r, own_share(which, r, comm.size())));
    all.set(list);
    const auto& mine = all.parts[std::size_t(comm.rank())];
    guarded<int> out(mine.size());
    tutti::scatter_v(comm, here ? all.flat : std::vector<int>(2), out.span(), root, options...);
    expect(comm, out.guards_intact(), "scatter_v wrote beside its output");
    expect(comm, std::ranges::equal(out.span(), mine), "scatter_v", long(which));
    out.poison();
    tutti::scatter(comm, here ? all.parts : std::vector<std::vector<int>>{}, out.span(), root, options...);
    expect(comm, out.guards_intact(), "scatter from a list wrote beside its output");
    expect(comm, std::ranges::equal(out.span(), mine), "scatter from a list", long(which));
  }
};

template <>
struct counted_forms<tutti::collective::all_gather_v> {
  template <class Communicator, class... Options>
  static void call(Communicator& comm, shares which, int, const Options&... options) {
    holding all{comm.size(), comm.rank(), 0, {}, {}, {}};
    std::vector<std::vector<int>> list;
    for (int r = 0; r < comm.size(); ++r) list.push_back(values_for(r, r, own_share(which, r, comm.size())));
    all.set(list);
    const auto& own = all.parts[std::size_t(comm.rank())];
    guarded<int> out(all.flat.size());
    tutti::all_gather_v(comm, own, out.span(), options...);
    expect(comm, out.guards_intact(), "all_gather_v wrote beside its output");
    expect(comm, std::ranges::equal(out.span(), all.flat), "all_gather_v", long(which));
    auto room = all.room();
    tutti::all_gather(comm, own, room, options...);
    expect(comm, room == all.parts, "all_gather into a list", long(which));
    const auto returned = tutti::all_gather_v(comm, own, options...);
    expect(comm, returned.counts == all.lengths && returned.elements == all.flat, "all_gather_v returns", long(which));
  }
};

template <>
struct counted_forms<tutti::collective::reduce_scatter_v> {
  template <class Communicator, class... Options>
  static void call(Communicator& comm, shares which, int, const Options&... options) {
    holding all{comm.size(), comm.rank(), 0, {}, {}, {}};
    std::vector<std::vector<int>> list;
    for (int r = 0; r < comm.size(); ++r) list.push_back(values_for(comm.rank(), r, own_share(which, r, comm.size())));
    all.set(list);
    std::vector<int> sums(all.lengths[std::size_t(comm.rank())]);
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (int from = 0; from < comm.size(); ++from) sums[i] += value_for(from, comm.rank(), i);
    guarded<int> out(sums.size());
    const auto before = all.flat;
    tutti::reduce_scatter_v(comm, all.flat, out.span(), tutti::sum{}, options...);
    expect(comm, out.guards_intact(), "reduce_scatter_v wrote beside its output");
    expect(comm, std::ranges::equal(out.span(), sums), "reduce_scatter_v", long(which));
    expect(comm, all.flat == before, "reduce_scatter_v changed its input", long(which));
    out.poison();
    tutti::reduce_scatter(comm, all.parts, out.span(), tutti::sum{}, options...);
    expect(comm, out.guards_intact(), "reduce_scatter from a list wrote beside its output");
    expect(comm, std::ranges::equal(out.span(), sums), "reduce_scatter from a list", long(which));
  }
};

template <>
struct counted_forms<tutti::collective::all_to_all_v> {
  template <class Communicator, class... Options>
  static void call(Communicator& comm, shares which, int, const Options&... options) {
    holding given{comm.size(), comm.rank(), 0, {}, {}, {}}, expected = given;
    std::vector<std::vector<int>> to, from;
    for (int r = 0; r < comm.size(); ++r) {
      to.push_back(values_for(comm.rank(), r, share(which, comm.rank(), r, comm.size())));
      from.push_back(values_for(r, comm.rank(), share(which, r, comm.rank(), comm.size())));
    }
    given.set(to);
    expected.set(from);
    guarded<int> out(expected.flat.size());
    tutti::all_to_all_v(comm, given.flat, given.lengths, out.span(), expected.lengths, options...);
    expect(comm, out.guards_intact(), "all_to_all_v wrote beside its output");
    expect(comm, std::ranges::equal(out.span(), expected.flat), "all_to_all_v", long(which));
    auto room = expected.room();
    tutti::all_to_all(comm, given.parts, room, options...);
    expect(comm, room == expected.parts, "all_to_all of lists", long(which));
    const auto returned = tutti::all_to_all_v(comm, given.flat, given.lengths, options...);
    expect(comm, returned.counts == expected.lengths && returned.elements == expected.flat, "all_to_all_v returns",
           long(which));
  }
};

/// Everything that serves one collective of counts.
template <class Collective, class Communicator, class... Algorithms>
auto counted_rows(list<Algorithms...>) {
  struct row {
    const char* algorithm;
    void (*call)(Communicator&, shares, int root);
  };
  std::vector<row> made;
  const auto add = [&]<class Algorithm>(list<Algorithm>) {
    if constexpr (is_tried<Communicator, Algorithm> && serves<Communicator, Algorithm, Collective, int, tutti::sum>())
      made.push_back({Algorithm::name, [](Communicator& comm, shares which, int root) {
                        counted_forms<Collective>::call(comm, which, root, value_of<Algorithm>(), in_chunks_of_256{});
                      }});
  };
  (add(list<Algorithms>{}), ...);
  made.push_back({"by default", [](Communicator& comm, shares which, int root) {
                    counted_forms<Collective>::call(comm, which, root);
                  }});
  return made;
}

template <class Collective, class Transport>
void counted() {
  in_every_world<Transport>([](typename Transport::communicator& comm) {
    for (const auto& row : counted_rows<Collective, typename Transport::communicator>(movers{}))
      for (const shares which : all_shares) {
        if (which == shares::beyond_a_letter && comm.size() > (reduced ? 3 : 5)) continue;
        for (int root = 0; root<(Collective::rooted ? comm.size() : 1); root += comm.size()> 5 ? 4 : 1) try {
            row.call(comm, which, root);
          } catch (const tutti::error& failure) {
            throw std::runtime_error(std::string(row.algorithm) + ": " + failure.what());
          }
      }
  });
}

template <class Transport>
void wrong_counts() {
  using communicator = typename Transport::communicator;
  const auto odd = [](communicator& comm) { return comm.rank() == 1; };
  // Nine elements: none of these lengths is right, whoever says so first.
  expect_everywhere<Transport>(" elements, expected 3", [&](communicator& comm) {
    std::vector<int> in(odd(comm) ? 5 : 2), out(comm.rank() == 0 ? 9 : 0);
    tutti::gather(comm, in, out);
  });
  expect_everywhere<Transport>("gather on rank 2: out has 8 elements, expected 9", [&](communicator& comm) {
    std::vector<int> in(3), out(8);
    tutti::gather(comm, in, out, 2, tutti::aggregator{});
  });
  expect_everywhere<Transport>("scatter on rank 1: out has 4 elements, expected 3", [&](communicator& comm) {
    std::vector<int> in(9), out(odd(comm) ? 4 : 3);
    tutti::scatter(comm, in, out, 2);
  });
  expect_everywhere<Transport>("gather_v on rank 0: out has 7 elements, expected 6", [&](communicator& comm) {
    std::vector<int> in(std::size_t(comm.rank() + 1)), out(7);
    tutti::gather_v(comm, in, out);
  });
  expect_everywhere<Transport>("scatter_v on rank 0: in has 7 elements, expected 6", [&](communicator& comm) {
    std::vector<int> out(std::size_t(comm.rank() + 1)), in(7);
    tutti::scatter_v(comm, in, out, 0, tutti::tree{});
  });
  expect_everywhere<Transport>("all_gather_v on rank 1: out has 7 elements, expected 6", [&](communicator& comm) {
    std::vector<int> in(std::size_t(comm.rank() + 1)), out(odd(comm) ? 7 : 6);
    tutti::all_gather_v(comm, in, out, tutti::ring{});
  });
  expect_everywhere<Transport>("reduce_scatter_v on rank 1: in has 7 elements, expected 6", [&](communicator& comm) {
    std::vector<int> out(std::size_t(comm.rank() + 1)), in(odd(comm) ? 7 : 6);
    tutti::reduce_scatter_v(comm, in, out, tutti::sum{});
  });
  expect_everywhere<Transport>("gather_v on rank 0: the block of rank 2 has 1 elements here, but 2 on rank 2",
                               [&](communicator& comm) {
                                 std::vector<std::vector<int>> out(3, std::vector<int>(1));
                                 tutti::gather(comm, std::vector<int>(comm.rank() == 2 ? 2 : 1), out);
                               });
  expect_everywhere<Transport>("all_to_all_v on rank 1: out has room for 2 elements of rank 0, expected 1",
                               [&](communicator& comm) {
                                 std::vector<std::vector<int>> in(3, std::vector<int>(1)), out = in;
                                 if (odd(comm)) out[0].resize(2);
                                 tutti::all_to_all(comm, in, out);
                               });
}

/// What one rank can see alone is refused before anything is sent.
template <class Transport>
void refused_counts() {
  in_every_world<Transport>(
      [](typename Transport::communicator& comm) {
        const auto p = std::size_t(comm.size());
        const std::string me = " on rank " + std::to_string(comm.rank());
        const auto refused = [&](const std::string& words, auto call) {
          try {
            call();
          } catch (const tutti::error& failure) {
            expect(comm, std::strstr(failure.what(), words.c_str()) != nullptr, failure.what());
            return;
          }
          expect(comm, false, words.c_str());
        };
        std::vector<int> whole(4 * p), other(4 * p);
        std::vector<std::vector<int>> lists(p), short_list(p - 1);
        const std::vector<std::size_t> four(p, 4), too_many(p + 1, 4);
        if (p > 1)
          refused("all_to_all" + me + ": in has " + std::to_string(4 * p + 1) + " elements",
                  [&] { tutti::all_to_all(comm, std::vector<int>(4 * p + 1), other); });
        refused(
            "all_to_all_v" + me + ": sent has " + std::to_string(p + 1) + " elements, expected " + std::to_string(p),
            [&] { tutti::all_to_all_v(comm, whole, too_many, other, four); });
        refused("all_to_all_v" + me + ": out has " + std::to_string(4 * p - 1) + " elements, expected " +
                    std::to_string(4 * p),
                [&] { tutti::all_to_all_v(comm, whole, four, std::span<int>(other).subspan(1), four); });
        refused("all_gather" + me + ": the list out has " + std::to_string(p - 1) + " ranges",
                [&] { tutti::all_gather(comm, whole, short_list); });
        refused("reduce_scatter" + me + ": the list in has " + std::to_string(p - 1) + " ranges",
                [&] { tutti::reduce_scatter(comm, short_list, whole, tutti::sum{}); });
        refused("overlap", [&] { tutti::all_to_all(comm, whole, whole); });
        refused("gather" + me + ": root is " + std::to_string(p), [&] { tutti::gather(comm, whole, other, int(p)); });
        tutti::all_to_all(comm, whole, other);  // the world goes on
      },
      5);
}

}  // namespace conformance
