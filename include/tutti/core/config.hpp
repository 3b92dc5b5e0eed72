// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// TUTTI_FUN marks what a kernel may call: operators, partitions, schedules, protocol functions.
/// nvcc rejects a call from a kernel into a plain constexpr function, so the mark is there from the start.
#if defined(__CUDACC__)
#  define TUTTI_FUN __host__ __device__
#else
#  define TUTTI_FUN
#endif

/// Stands before a TUTTI_FUN function that calls what its template arguments bring (an operator, a memory policy): that
/// may be host code alone, and then only the host may call it. Without it nvcc warns where the host does.
#if defined(__CUDACC__)
#  define TUTTI_ANY_CALLEE _Pragma("nv_exec_check_disable")
#else
#  define TUTTI_ANY_CALLEE
#endif

/// TUTTI_PROVE=1 makes every collective call prove its schedule for up to 8 ranks while it compiles.
/// Off by default: users pay for a proof only when they ask for it; tests/proofs asks for all of them.
#if !defined(TUTTI_PROVE)
#  define TUTTI_PROVE 0
#endif

#if defined(__cpp_exceptions)
#  define TUTTI_EXCEPTIONS 1
#else
#  define TUTTI_EXCEPTIONS 0
#endif
