// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "job.hpp"
#include "site.hpp"

namespace conformance {

/// In what pieces messages travel.
enum class chunks { usual, whole, of_1000_bytes, uniform_1000_bytes, of_64_KiB, three };
inline thread_local chunks chosen_chunks = chunks::usual;

struct no_operator {};

/// Ranks share a device, so that there is no NCCL: only what goes by loads and stores is tried. Set before ranks start.
inline bool without_nccl = false;

/// What a collective does with what it was given.
template <class Type, class Op>
struct row {
  const char* collective;
  const char* algorithm;
  void (*call)(stream_communicator&, const job<Type>&, const Type* in, Type* out, const Op&);
};

}  // namespace conformance
