// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tutti::detail {

/// How calls run on a communicator whose work is enqueued on a stream; specialised where that is known:
///   run<Algorithm, Chunking>(comm, collective, given, op, call)
///   run_native<Collective, Op>(comm, given, op)      by the library below
///   has_native<Collective, Element, Op>()            whether that has it
///   run_fused, transform, memory_for                 see pipeline
///   barrier(comm), send_recv(comm, call, to, out, from, in)
template <class Communicator>
struct stream_engine;

}  // namespace tutti::detail
