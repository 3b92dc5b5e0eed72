// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/transport/push_layout.hpp>

#include <cstdint>

namespace tutti::detail {

/// How a kernel reads and writes what its peers see.
///
/// A pack is one access of 128 bits, relaxed at system scope: a reader has all of it or none, and its last word says
/// which. Nothing but the pack is learned from it, so no ordering is needed between packs. (A vector access, .v4.u32,
/// is four of them in any order.) That a place is read and empty before the next pack gets there is ordered by
///   this rank's access in call e-1; end of the kernel; call e: release of the receipt
///   the peer in call e+1: acquire of the receipt; end of the kernel; call e+2: the pack
/// so the threads that move data need no fence, which would wait for all that they have under way.
struct device_access {
  TUTTI_FUN void store(pack* to, const pack& what) const {
#if defined(__CUDA_ARCH__)
    asm volatile(
        "{\n\t.reg .b64 low, high;\n\t.reg .b128 whole;\n\tmov.b64 low, {%1, %2};\n\tmov.b64 high, {%3, %4};\n\t"
        "mov.b128 whole, {low, high};\n\tst.relaxed.sys.global.b128 [%0], whole;\n\t}" ::"l"(to),
        "r"(what.word[0]), "r"(what.word[1]), "r"(what.word[2]), "r"(what.word[3])
        : "memory");
#else
    (void)to, (void)what;
#endif
  }
  TUTTI_FUN pack load(const pack* from) const {
    pack what{};
#if defined(__CUDA_ARCH__)
    asm volatile(
        "{\n\t.reg .b64 low, high;\n\t.reg .b128 whole;\n\tld.relaxed.sys.global.b128 whole, [%4];\n\t"
        "mov.b128 {low, high}, whole;\n\tmov.b64 {%0, %1}, low;\n\tmov.b64 {%2, %3}, high;\n\t}"
        : "=r"(what.word[0]), "=r"(what.word[1]), "=r"(what.word[2]), "=r"(what.word[3])
        : "l"(from)
        : "memory");
#else
    (void)from;
#endif
    return what;
  }
  TUTTI_FUN void give_receipt(std::uint32_t& receipt, std::uint32_t epoch) const {
#if defined(__CUDA_ARCH__)
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(&receipt), "r"(epoch) : "memory");
#else
    (void)receipt, (void)epoch;
#endif
  }
  TUTTI_FUN std::uint32_t receipt(const std::uint32_t& receipt) const {
    std::uint32_t value = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(&receipt) : "memory");
#else
    (void)receipt;
#endif
    return value;
  }
  TUTTI_FUN bool stopped(const std::uint32_t& stop) const {
    std::uint32_t value = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(&stop) : "memory");
#else
    (void)stop;
#endif
    return value != 0;
  }
  TUTTI_FUN bool ordered(const std::uint32_t& stop) const {
    std::uint32_t value = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(value) : "l"(&stop) : "memory");
#else
    (void)stop;
#endif
    return value != 0;
  }
  TUTTI_FUN bool stops_first(std::uint32_t& stop) const {
#if defined(__CUDA_ARCH__)
    return atomicCAS(&stop, 0u, 1u) == 0;
#else
    (void)stop;
    return false;
#endif
  }
  /// After what was written of the report; the host reads it then.
  TUTTI_FUN void tell(std::uint32_t& state, std::uint32_t value) const {
#if defined(__CUDA_ARCH__)
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(&state), "r"(value) : "memory");
#else
    (void)state, (void)value;
#endif
  }
  TUTTI_FUN std::int64_t now() const {
    std::int64_t value = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
#endif
    return value;
  }
};

}  // namespace tutti::detail
