// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/algorithm/direct.hpp>
#include <tutti/algorithm/halving_doubling.hpp>
#include <tutti/algorithm/hierarchical.hpp>
#include <tutti/algorithm/lanes.hpp>
#include <tutti/algorithm/levels.hpp>
#include <tutti/algorithm/one_phase.hpp>
#include <tutti/algorithm/pairwise.hpp>
#include <tutti/algorithm/recursive_doubling.hpp>
#include <tutti/algorithm/tree.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/message_model.hpp>
#include <tutti/op/reduction.hpp>
#include <tutti/schedule/collective.hpp>
#include <tutti/schedule/transfer.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tutti {

/// From so many ranks on, up to how many bytes everyone folds everything where peers' memory can be read: a line of a
/// table that automatic goes by.
struct crossing {
  int ranks;
  std::size_t bytes;
};

namespace detail {

/// How long algorithms take by messages, in seconds, after a model: what automatic compares.
struct message_times {
  message_model model;
  int size;
  double bytes;

  constexpr double one_phase() const { return model.latency + (size - 1) * bytes * (model.byte + model.fold); }
  constexpr double direct() const {
    return 2 * model.latency + (2 * model.byte + model.fold) * bytes * (size - 1) / size;
  }
  constexpr double recursive_doubling() const {
    return log2_ceil(size) * (model.latency + bytes * (model.byte + model.fold));
  }
  constexpr double halving_doubling() const {
    return 2 * log2_ceil(size) * model.latency + (2 * model.byte + model.fold) * bytes;
  }
  constexpr double tree_broadcast() const { return log2_ceil(size) * (model.latency + bytes * model.byte); }
  constexpr double direct_broadcast() const { return 2 * model.latency + 2 * model.byte * bytes * (size - 1) / size; }
};

/// The crossings of one_phase and direct. Measured on 16 cores of one socket, all_reduce of float, microseconds of
/// one_phase / direct:
///   ranks     512 B        1 KiB        2 KiB        4 KiB        8 KiB        16 KiB       64 KiB
///   2         0.7 / 1.1    0.9 / 1.2    1.3 / 1.5    1.8 / 1.9    2.8 / 3.1    4.3 / 5.1    10 / 16
///   (Zen 5)                0.2 / 0.3    0.3 / 0.4    0.4 / 0.5                 0.8 / 0.9    3.4 / 3.2
///   3                      1.0 / 1.3    1.3 / 1.7    1.9 / 2.3                 6.1 / 6.2    15 / 16
///   4         1.1 / 1.6    1.4 / 1.8    2.2 / 2.2    3.4 / 3.0    5.9 / 4.6    11 / 7.0     34 / 17
///   6                      1.6 / 2.0    2.6 / 2.5    4.6 / 3.5                 14 / 8.1     48 / 20
///   8         1.4 / 2.7    2.0 / 2.8    2.7 / 3.3    4.3 / 4.3    7.6 / 6.2    12 / 9.4     45 / 25
///   12                     2.8 / 3.4    4.9 / 4.0    8.5 / 5.3                 25 / 11      114 / 26
///   16        2.8 / 3.4    4.3 / 3.5    7.2 / 4.1    13 / 5.2     23 / 8.2     43 / 14      159 / 29
/// (tutti_perf --ranks N --algorithm one_phase, and direct; 3, 6, 12 and the Zen in a loop without pauses, where 8
/// ranks cross at 1 KiB; the 16 cores while copies went by loops. tutti_perf --tune finds those of another machine.)
inline constexpr crossing crossings[] = {{2, 32 * 1024}, {3, 16 * 1024}, {4, 2048}, {6, 1024}, {16, 512}, {24, 256}};

/// Where ranks share processors: each phase takes as many switches between them as a processor has ranks, and who folds
/// everything has one phase less. Microseconds of one_phase / direct on two cores (Zen 5, a switch takes 5 to 9):
///   ranks     1 KiB        4 KiB        16 KiB       64 KiB
///   4         13 / 49      14 / 26      18 / 29      34 / 39
///   8         37 / 75      40 / 76      51 / 84      99 / 103
/// (mpirun --bind-to none --oversubscribe -n N tutti_perf --algorithm one_phase, and direct.) 3 ranks take the same
/// time by both. The lines of more ranks are what a switch is worth where folding is as slow as on the 16 cores above.
inline constexpr crossing crowded_crossings[] = {{2, 32 * 1024}, {3, 16 * 1024}, {4, 32 * 1024},
                                                 {6, 16 * 1024}, {16, 8 * 1024}, {32, 2 * 1024}};

/// Says nothing: the model is the communicator's, the crossings are those above.
struct usual_source {};
template <class Source>
constexpr const char* choice_name() {
  if constexpr (requires { Source::name; })
    return Source::name;
  else
    return "automatic";
}
template <class Source, class Communicator>
constexpr const message_model& model_from(const Communicator& comm) {
  if constexpr (requires { Source::model; })
    return Source::model;
  else
    return comm.model();
}

/// Down the table: the bytes of the last line that has no more ranks.
template <class Table>
constexpr std::size_t last_crossing(const Table& table, int ranks) {
  std::size_t bytes = 0;
  for (const crossing& one : table)
    if (ranks >= one.ranks) bytes = one.bytes;
  return bytes;
}
template <class Source>
constexpr std::size_t crossing_from(int ranks, bool crowded) {
  if constexpr (requires { Source::crossings; })
    return last_crossing(Source::crossings, ranks);
  else
    return crowded ? last_crossing(crowded_crossings, ranks) : last_crossing(crossings, ranks);
}

}  // namespace detail

/// Chooses by transport, operator and size; every rank chooses the same, from numbers that all ranks share.
/// Where peers' memory can be read: one_phase up to the bytes that the table of crossings says (there is one for ranks
/// with a processor each and one for others), direct above; both fold in rank order, so the choice never changes bits.
/// By messages the same two among at most 16 ranks: their time is
///   one_phase   latency + (ranks - 1) * bytes / bandwidth          for every byte comes from everybody
///   direct      2 latencies + 2 * bytes / bandwidth * (ranks - 1) / ranks
/// (see message_model). Among more, recursive_doubling and halving_doubling for all_reduce, by their own times, which
/// fold alike; else trees, and what has few rounds where little travels, or neighbours only where much does.
/// On several hosts (tutti::hybrid), where one of them has several ranks, all_reduce, reduce and broadcast go by
/// levels, and this choice is made again in each: hierarchical, or lanes for all_reduce of at least 256 KiB where all
/// hosts have as many ranks. Both fold within the hosts first. An operator that doesn't commute needs hosts whose ranks
/// are neighbours; else, and for the other collectives, messages between all.
/// The model is the communicator's; automatic_by<Source> goes by Source::model instead, a constant message_model, and
/// by Source::crossings, a constant array of crossing with rising ranks, instead of both tables; where it has
/// Source::levels, ranks that share memory go by levels too, see automatic_by_levels.
template <class Source>
struct automatic_by {
  using tutti_choice = automatic_by;
  static constexpr const char* name = detail::choice_name<Source>();
  static constexpr bool same_for_all_sizes = true;  // what it chooses from folds alike
  static constexpr std::size_t one_phase_bytes(int ranks, bool crowded = false) {
    return detail::crossing_from<Source>(ranks, crowded);
  }
  static constexpr int few = 16;  // so many messages a round are no more than the latency of others
  static constexpr std::size_t lanes_bytes = 256 * 1024;

  /// Calls use(algorithm).
  template <class Communicator, class Collective, class Element, class Op, class Use>
  void resolve(const Communicator& comm, std::size_t count, Use&& use) const {
    if constexpr (routing_transport<Communicator>) {
      if (comm.one_host() || !by_levels<Collective, Op>(comm, count * sizeof(Element), use))
        by_road<Collective, Element, Op>(comm, count, use);
    } else if constexpr (stream_transport<Communicator>) {
      by_stream<Collective>(comm, count * sizeof(Element), use);
    } else if constexpr (!Communicator::load_store) {
      by_messages<Collective>({detail::model_from<Source>(comm), comm.size(), double(count) * double(sizeof(Element))},
                              use);
    } else if constexpr (requires { Source::levels; }) {
      if (!by_levels<Collective, Op>(comm, count * sizeof(Element), use))
        by_memory<Collective>(comm, count * sizeof(Element), use);
    } else {
      by_memory<Collective>(comm, count * sizeof(Element), use);
    }
  }

  /// On devices that reach each other's memory: up to how many bytes everyone folds everything. Measured on 2 and 4
  /// GPUs with NVLink; more ranks by what crosses a link, (ranks - 1) * bytes against 2 * bytes * (ranks - 1) / ranks.
  static constexpr std::size_t one_phase_bytes_on_devices(int ranks) {
    return ranks == 2 ? 1024 * 1024 : ranks <= 4 ? 256 * 1024 : 64 * 1024;
  }

 private:
  template <class Collective, class Communicator, class Use>
  static void by_stream(const Communicator& comm, std::size_t bytes, Use& use) {
    if (comm.near() == nullptr)
      by_messages<Collective>({detail::model_from<Source>(comm), comm.size(), double(bytes)}, use);
    else if constexpr (Collective::prefix)
      use(one_phase{});
    else if constexpr (Collective::reduces && !Collective::per_rank)
      bytes <= one_phase_bytes_on_devices(comm.size()) ? use(one_phase{}) : use(direct{});
    else
      use(direct{});
  }

  template <class Collective, class Element, class Op, class Communicator, class Use>
  static void by_road(const Communicator& comm, std::size_t count, Use& use) {
    const auto on = [&]<class Road>(const Road& road) {
      automatic_by{}.template resolve<Road, Collective, Element, Op>(road, count, use);
    };
    comm.one_host() ? on(comm.near()) : on(comm.far());
  }

  template <class Collective, class Communicator, class Use>
  static void by_memory(const Communicator& comm, std::size_t bytes, Use& use) {
    if constexpr (Collective::prefix)
      use(one_phase{});
    else if constexpr (Collective::reduces && !Collective::per_rank)
      bytes <= one_phase_bytes(comm.size(), comm.crowded()) ? use(one_phase{}) : use(direct{});
    else
      use(direct{});
  }

  /// What it takes in each level: no further levels.
  struct within {
    using tutti_choice = within;
    static constexpr const char* name = automatic_by::name;
    static constexpr bool same_for_all_sizes = true;
    template <class Communicator, class Collective, class Element, class Op, class Use>
    void resolve(const Communicator& comm, std::size_t count, Use&& use) const {
      if constexpr (routing_transport<Communicator>)
        by_road<Collective, Element, Op>(comm, count, use);
      else if constexpr (Communicator::load_store)
        by_memory<Collective>(comm, count * sizeof(Element), use);
      else
        automatic_by{}.template resolve<Communicator, Collective, Element, Op>(comm, count, use);
    }
  };

  /// False where levels don't help, or can't keep the order.
  template <class Collective, class Op, class Communicator, class Use>
  static bool by_levels(const Communicator& comm, std::size_t bytes, Use& use) {
    constexpr bool folds_all = std::same_as<Collective, collective::all_reduce>;
    if constexpr (folds_all || std::same_as<Collective, collective::reduce> ||
                  std::derived_from<Collective, collective::broadcast>) {
      if (comm.known_node_colors() == nullptr) return false;
      const detail::placement where(*comm.known_node_colors());
      if (where.all_alone() || where.one_node()) return false;
      if (Collective::reduces && !is_commutative<Op> && !where.in_runs()) return false;
      if constexpr (folds_all) {
        if (bytes >= lanes_bytes && where.of_another_size() < 0) {
          use(lanes<within, within>{});
          return true;
        }
      }
      use(hierarchical<within, within>{});
      return true;
    } else {
      return false;
    }
  }

  template <class Collective, class Use>
  static void by_messages(const detail::message_times& time, Use& use) {
    const int size = time.size;
    // Forms with counts of their own look alike to all ranks only by their number.
    if constexpr (std::derived_from<Collective, collective::all_to_all>) {
      use(pairwise{});
    } else if constexpr (Collective::prefix) {
      use(recursive_doubling{});
    } else if constexpr (std::same_as<Collective, collective::all_reduce>) {
      if (size > few && time.recursive_doubling() <= time.halving_doubling())
        use(recursive_doubling{});
      else if (size > few)
        use(halving_doubling{});
      else if (time.one_phase() <= time.direct())
        use(one_phase{});
      else
        use(direct{});
    } else if constexpr (std::derived_from<Collective, collective::broadcast>) {
      if (size > 2 && size <= few && time.tree_broadcast() > time.direct_broadcast())
        use(direct{});
      else
        use(tree{});
    } else if constexpr (Collective::per_rank || Collective::reduces) {
      if (size <= few)
        use(direct{});
      else
        use(tree{});
    }
  }
};

using automatic = automatic_by<detail::usual_source>;

namespace detail {
struct source_with_levels {
  static constexpr const char* name = "automatic_by_levels";
  static constexpr bool levels = true;
};
}  // namespace detail

/// As automatic, but where ranks share memory and comm.arrange_by_caches() found several caches or memory nodes,
/// all_reduce, reduce and broadcast go by levels: within those first, then between them, as on several hosts. For many
/// ranks, of whose caches some are far from others. What it folds in is the order of the machine it runs on.
using automatic_by_levels = automatic_by<detail::source_with_levels>;

}  // namespace tutti
