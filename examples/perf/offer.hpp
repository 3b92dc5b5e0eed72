// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "buffers.hpp"
#include "options.hpp"

#include <tutti/collective/plan.hpp>

#include <map>
#include <string_view>
#include <vector>

namespace perf {

/// One algorithm behind a pointer: the loop around the call is compiled once for all algorithms and transports. comm is
/// a communicator of the transport that offers it.
struct candidate {
  const char* name = nullptr;
  void (*call)(void* comm, const raw_operands&) = nullptr;
  tutti::prepared_calls (*prepare)(void* comm, const raw_operands&) = nullptr;  // null unless it is asked for
};

/// What a transport offers of a collective.
struct offer {
  std::vector<const char*> (*algorithms)();  ///< those that serve it
  bool (*builds)(std::string_view type, std::string_view op);
  const char* what_is_built;
  /// Of a name or, for "all", all; as the options say what on and how to call. Empty where that isn't built.
  std::vector<candidate> (*candidates)(const options&, std::string_view algorithm);
};

/// By collective, for mpi, hybrid and gloo. Filled before main where the program was built with these.
inline std::map<std::string_view, offer>& offers_over(std::string_view transport) {
  static std::map<std::string_view, std::map<std::string_view, offer>> all;
  return all[transport];
}
inline bool built_with_mpi() { return !offers_over("mpi").empty(); }
inline bool is_over_mpi(std::string_view transport) { return transport == "mpi" || transport == "hybrid"; }
/// Something to measure against alone: no transport of tutti's, but a library beside it.
inline bool is_beside(std::string_view transport) { return transport == "gloo"; }
/// Whose offers are not those of shm and threads, or of nccl.
inline bool has_own_offers(std::string_view transport) { return is_over_mpi(transport) || is_beside(transport); }
/// Whose own collectives native is.
inline bool stands_on_library(std::string_view transport) { return has_own_offers(transport) || transport == "nccl"; }

}  // namespace perf
