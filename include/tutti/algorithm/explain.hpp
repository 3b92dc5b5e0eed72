// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/algorithm/automatic.hpp>
#include <tutti/algorithm/levels.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/config.hpp>
#include <tutti/core/type_name.hpp>
#include <tutti/op/arithmetic.hpp>
#include <tutti/schedule/collective.hpp>

#include <concepts>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace tutti {

/// Which algorithm automatic takes, and why.
class explanation {
 public:
  /// Its name.
  const char* algorithm() const { return algorithm_; }
  /// In some lines: the call, the algorithm, what was compared, and the table that it is from.
  const char* text() const { return text_; }

  void choose(const char* algorithm) { algorithm_ = algorithm; }
  TUTTI_PRINTF(2, 3) void add(const char* format, ...) {
    std::va_list list;
    va_start(list, format);
    const int added = std::vsnprintf(text_ + used_, sizeof text_ - used_, format, list);
    va_end(list);
    used_ += std::size_t(added);
    if (used_ >= sizeof text_) used_ = sizeof text_ - 1;
  }

 private:
  const char* algorithm_ = "";
  std::size_t used_ = 0;
  char text_[1024] = "";
};

namespace detail {

/// What automatic compared where ranks send messages.
template <class Collective>
void explain_messages(explanation& why, const message_times& time, const char* source) {
  const int few = automatic::few;
  const auto us = [](double seconds) { return seconds * 1e6; };
  if constexpr (std::same_as<Collective, collective::all_reduce>) {
    if (time.size <= few)
      why.add("  one_phase %.4g us, direct %.4g us\n", us(time.one_phase()), us(time.direct()));
    else
      why.add("  more than %d ranks: recursive_doubling %.4g us, halving_doubling %.4g us\n", few,
              us(time.recursive_doubling()), us(time.halving_doubling()));
  } else if constexpr (std::derived_from<Collective, collective::broadcast>) {
    why.add("  tree %.4g us, direct %.4g us (among 3 to %d ranks)\n", us(time.tree_broadcast()),
            us(time.direct_broadcast()), few);
  } else if constexpr (std::derived_from<Collective, collective::all_to_all> || Collective::prefix) {
    why.add("  always, by messages\n");
    return;
  } else {
    why.add("  by the number of ranks: direct among at most %d, tree among more\n", few);
    return;
  }
  why.add("  model: %s (%s)\n", time.model.to_text().c_str(), source);
}

template <class Collective, class Communicator>
void explain_road(explanation& why, const Communicator& comm, std::size_t bytes) {
  if constexpr (!Communicator::load_store) {
    explain_messages<Collective>(why, {comm.model(), comm.size(), double(bytes)}, comm.model_origin().source());
  } else if constexpr (Collective::reduces && !Collective::per_rank && !Collective::prefix) {
    why.add("  %zu bytes on %d ranks: one_phase up to %zu, direct above\n", bytes, comm.size(),
            automatic::one_phase_bytes(comm.size(), comm.crowded()));
    why.add("  table: tutti's own, for ranks that share memory%s\n", comm.crowded() ? " and processors" : "");
  } else {
    why.add("  always, where ranks share memory\n");
  }
}

/// Of several hosts: what happens in them, and between them.
template <class Collective, class Communicator>
void explain_levels(explanation& why, const Communicator& comm, std::size_t bytes) {
  const placement where(*comm.known_node_colors());
  int nodes = 0, largest = 0;
  for (int rank = 0; rank < comm.size(); ++rank) {
    nodes += where.first_of(rank) == rank;
    if (where.size_of(rank) > largest) largest = where.size_of(rank);
  }
  const bool one_size = where.of_another_size() < 0;
  why.add("  %d hosts of %s%d ranks: first within them, by shared memory, then between them\n", nodes,
          one_size ? "" : "up to ", largest);
  if constexpr (std::same_as<Collective, collective::all_reduce>) {
    why.add("  lanes from %zu bytes on where all hosts have as many ranks, hierarchical else\n",
            automatic::lanes_bytes);
    if (one_size && bytes >= automatic::lanes_bytes) bytes /= std::size_t(largest);
  }
  why.add("  between hosts:\n");
  explain_messages<Collective>(why, {comm.far().model(), nodes, double(bytes)}, comm.far().model_origin().source());
}

}  // namespace detail

/// Which algorithm automatic takes for a vector of so many bytes on this rank, and why. What the other ranks take is
/// the same; nobody has to call it with them. Tags of tutti::collective.
///     std::puts(tutti::explain(world, 1 << 20, tutti::sum{}).text());
template <class Collective = collective::all_reduce, class Element = float, class Communicator, class Op = sum>
  requires message_transport<Communicator> explanation explain(const Communicator& comm, std::size_t bytes,
                                                               const Op& = {}) {
    explanation why;
    if (comm.size() == 1) {
      why.choose("none");
      why.add("%s of %zu bytes on one rank: no algorithm, a copy at most\n", Collective::name, bytes);
      return why;
    }
    bool by_levels = false;
    automatic{}.template resolve<Communicator, Collective, Element, Op>(comm, bytes / sizeof(Element),
                                                                        [&]<class Algorithm>(Algorithm) {
                                                                          why.choose(Algorithm::name);
                                                                          by_levels = composition<Algorithm>;
                                                                        });
    const detail::text element = detail::type_name<Element>();
    why.add("%s of %zu bytes of %.*s among %d ranks over %s: %s\n", Collective::name, bytes, int(element.size),
            element.begin, comm.size(), Communicator::transport_name, why.algorithm());
    if constexpr (routing_transport<Communicator>) {
      if (by_levels)
        detail::explain_levels<Collective>(why, comm, bytes);
      else if (comm.one_host())
        detail::explain_road<Collective>(why, comm.near(), bytes);
      else
        detail::explain_road<Collective>(why, comm.far(), bytes);
    } else {
      detail::explain_road<Collective>(why, comm, bytes);
    }
    return why;
  }

}  // namespace tutti
