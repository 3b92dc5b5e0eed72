// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/clock.hpp>
#include <tutti/core/isa.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#  define TUTTI_COPIES_BY_LOOP 1
#else
#  define TUTTI_COPIES_BY_LOOP 0
#endif

namespace tutti::detail {

// Sanitizers don't see what an instruction of one's own writes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#  define TUTTI_SANITIZED 1
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#    define TUTTI_SANITIZED 1
#  endif
#endif

#if TUTTI_COPIES_BY_LOOP
inline constexpr std::size_t least_looped = 2048, most_looped = std::size_t(8) << 20;

typedef long long piece_of_16 __attribute__((vector_size(16)));
typedef long long piece_of_32 __attribute__((vector_size(32)));

/// Four pieces at least; targets are aligned to theirs.
template <class Piece>
__attribute__((always_inline)) inline void copy_pieces(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t size = sizeof(Piece);
  std::memcpy(to, from, size);
  std::size_t at = size - (reinterpret_cast<std::uintptr_t>(to) & (size - 1));
  for (; bytes - at >= 4 * size; at += 4 * size) {
    Piece one, two, three, four;  // as that, compilers keep them in the wide registers
    std::memcpy(&one, from + at, size);
    std::memcpy(&two, from + at + size, size);
    std::memcpy(&three, from + at + 2 * size, size);
    std::memcpy(&four, from + at + 3 * size, size);
    std::memcpy(to + at, &one, size);
    std::memcpy(to + at + size, &two, size);
    std::memcpy(to + at + 2 * size, &three, size);
    std::memcpy(to + at + 3 * size, &four, size);
  }
  std::memcpy(to + at, from + at, bytes - at);
}

#  if TUTTI_KERNEL_VARIANTS >= 2
__attribute__((target("avx2"), noinline)) inline void copy_avx2(std::byte* to, const std::byte* from,
                                                                std::size_t bytes) {
  copy_pieces<piece_of_32>(to, from, bytes);
}
#  endif
__attribute__((noinline)) inline void copy_baseline(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_pieces<piece_of_16>(to, from, bytes);
}
inline void copy_by_loop(std::byte* to, const std::byte* from, std::size_t bytes) {
#  if TUTTI_KERNEL_VARIANTS >= 2
  if (isa_here() != isa::baseline) return copy_avx2(to, from, bytes);
#  endif
  copy_baseline(to, from, bytes);
}

inline void copy_by_one_instruction(std::byte* to, const std::byte* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#  if defined(TUTTI_SANITIZED)
inline bool suits_one_instruction(const std::byte*, const std::byte*) { return false; }
#  else
/// How many times a loop's time rep movsb takes on this processor where the target lies 16 bytes behind the source
/// modulo 4 KiB, and 16 before it; found out once, in a few microseconds.
inline double cost_of_near_ends() {
  static const double cost = [] {
    constexpr std::size_t bytes = 8192, page = 4096, shift = 16;
    alignas(64) std::byte room[2 * (bytes + page)] = {};
    std::byte* const to = room + page / 2;
    double worst = 0;
    for (int place = 0; place < 2; ++place) {
      const std::byte* const from = place == 0 ? to + bytes + page + shift : to + bytes + page - shift;
      std::int64_t at_once = 1'000'000'000, by_loop = at_once;
      for (int i = 0; i < 7; ++i) {
        const std::int64_t start = now_ns();
        copy_by_one_instruction(to, from, bytes);
        const std::int64_t between = now_ns();
        copy_by_loop(to, from, bytes);
        const std::int64_t end = now_ns();
        if (between - start < at_once) at_once = between - start;
        if (end - between < by_loop) by_loop = end - between;
      }
      const double times = double(at_once) / double(by_loop < 1 ? 1 : by_loop);
      if (times > worst) worst = times;
    }
    return worst;
  }();
  return cost;
}
/// rep movsb, unless the ends lie close to each other modulo 4 KiB and the processor stumbles over that.
inline bool suits_one_instruction(const std::byte* to, const std::byte* from) {
  constexpr std::uintptr_t page = 4096, near = 64;
  const std::uintptr_t ahead = (reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to)) % page;
  if (!moves_bytes_at_once()) return false;
  return ahead == 0 || (ahead >= near && ahead <= page - near) || cost_of_near_ends() < 2;
}
#  endif
#endif

/// Copies bytes between places that lie apart; with none to copy they may be null.
/// From 2 KiB on by one instruction of x86 (rep movsb): it writes whole lines without fetching them first, which from a
/// core whose peer had them takes half as long as a loop's stores do (all_reduce of 256 KiB on 2 ranks of a Zen 5: by
/// loops 46 us, so 18 us). But AMD's Zen 3 and 4 do it at a fifth of their speed where the target lies a few bytes
/// behind the source, modulo 4 KiB; stages are placed so that this is rare, and then a loop copies there. memcpy does
/// not know of peers: depending on its version it takes either way. Very long ones are the library's, which then spares
/// the caches.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
#if TUTTI_COPIES_BY_LOOP
  if (bytes >= least_looped && bytes <= most_looped) {
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(from);
    return suits_one_instruction(target, source) ? copy_by_one_instruction(target, source, bytes)
                                                 : copy_by_loop(target, source, bytes);
  }
#endif
  if (bytes != 0) std::memcpy(to, from, bytes);
}

}  // namespace tutti::detail
