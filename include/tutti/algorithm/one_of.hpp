// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/algorithm/supports.hpp>
#include <tutti/core/concepts.hpp>
#include <tutti/core/determinism.hpp>
#include <tutti/core/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace tutti {

/// One algorithm of a list, chosen by name at run time; each is compiled in. The list drives command lines,
/// tests and measurements alike.
///     using algorithms = tutti::one_of<tutti::ring, tutti::direct, tutti::tree>;
///     tutti::all_reduce(world, data, tutti::sum{}, algorithms::named("ring"));
template <class... Algorithms>
  requires(sizeof...(Algorithms) > 0 && ((algorithm<Algorithms> || algorithm_choice<Algorithms>)&&...))
class one_of {
 public:
  using tutti_choice = one_of;
  static constexpr std::size_t count = sizeof...(Algorithms);
  static constexpr bool same_for_all_sizes = (detail::folds_all_alike<Algorithms>() && ...);
  static constexpr const char* names[] = {Algorithms::name...};

  /// The first of the list.
  constexpr one_of() = default;

  /// Throws an error that lists the names where there is no such one.
  static one_of named(const char* wanted) {
    char list[256] = "";
    std::size_t used = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::strcmp(names[i], wanted) == 0) return one_of(i);
      if (used < sizeof list)
        used += std::size_t(std::snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", names[i]));
    }
    detail::fail(errc::bad_argument, -1, "tutti: there is no algorithm \"%s\"; there are %s", wanted, list);
  }
  template <class String>
    requires requires(const String& text) {
      { text.c_str() } -> std::convertible_to<const char*>;
    }
  static one_of named(const String& wanted) { return named(wanted.c_str()); }
  const char* name() const { return names[index_]; }

  /// Calls each(algorithm) for all of the list.
  template <class Each>
  static void for_each(Each&& each) {
    (each(Algorithms{}), ...);
  }

  template <class Communicator, class Collective, class Element, class Op, class Use>
  void resolve(const Communicator& comm, std::size_t elements, Use&& use) const {
    std::size_t i = 0;
    (try_one<Communicator, Collective, Element, Op, Algorithms>(comm, elements, use, i++), ...);
  }

 private:
  constexpr explicit one_of(std::size_t index) : index_(index) {}

  template <class Communicator, class Collective, class Element, class Op, class Algorithm, class Use>
  void try_one(const Communicator& comm, std::size_t elements, Use& use, std::size_t i) const {
    if (i != index_) return;
    if constexpr (algorithm_choice<Algorithm>)
      Algorithm{}.template resolve<Communicator, Collective, Element, Op>(comm, elements, use);
    else if constexpr (supports<Communicator, Algorithm, Collective, Element, Op>)
      use(Algorithm{});
    else
      detail::fail(errc::bad_argument, comm.rank(),
                   "%s on rank %d: the algorithm %s doesn't serve it with this operator%s", Collective::name,
                   comm.rank(), Algorithm::name,
                   Algorithm::rank_order ? "" : " (it folds out of rank order: wrap it in tutti::commutative)");
  }
  std::size_t index_ = 0;
};

}  // namespace tutti
