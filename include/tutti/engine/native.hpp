// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tutti::detail {

/// The library whose communicators are named by such a handle; the header of its transport says how it is called:
///   executor<Communicator, Collective, Reduction, Op, Commutes>   one of its collectives as a step
///   barrier<Communicator>                                         likewise
template <class Handle>
struct native_library;

}  // namespace tutti::detail
