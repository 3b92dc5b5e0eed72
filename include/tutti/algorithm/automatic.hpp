// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/algorithm/direct.hpp>
#include <tutti/algorithm/one_phase.hpp>
#include <tutti/algorithm/pairwise.hpp>
#include <tutti/algorithm/recursive_doubling.hpp>
#include <tutti/algorithm/tree.hpp>
#include <tutti/schedule/collective.hpp>

#include <concepts>
#include <cstddef>

namespace tutti {

/// Chooses by transport, operator and size; every rank chooses the same, from numbers that all ranks share.
/// Where peers' memory can be read: one_phase while bytes * ranks are at most 64 KiB, direct above; both fold
/// in rank order, so the choice never changes bits. By messages alone: tree, pairwise for all_to_all,
/// recursive_doubling for scans.
struct automatic {
  using tutti_choice = automatic;
  static constexpr const char* name = "automatic";
  static constexpr bool same_for_all_sizes = true;  // what it chooses from folds alike
  static constexpr std::size_t one_phase_bytes = 64 * 1024;

  /// Calls use(algorithm).
  template <class Communicator, class Collective, class Element, class Op, class Use>
  void resolve(const Communicator& comm, std::size_t count, Use&& use) const {
    if constexpr (!Communicator::load_store) {
      if constexpr (std::derived_from<Collective, collective::all_to_all>)
        use(pairwise{});
      else if constexpr (Collective::prefix)
        use(recursive_doubling{});
      else
        use(tree{});
    } else if constexpr (Collective::prefix) {
      use(one_phase{});
    } else if constexpr (Collective::reduces && !Collective::per_rank) {
      if (count * sizeof(Element) * std::size_t(comm.size()) <= one_phase_bytes)
        use(one_phase{});
      else
        use(direct{});
    } else {
      use(direct{});
    }
  }
};

}  // namespace tutti
