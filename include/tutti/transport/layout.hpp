// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/config.hpp>
#include <tutti/core/descriptor.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

inline constexpr std::size_t cache_line = 128;  // two lines of x86, one of POWER and Apple: no false sharing
inline constexpr std::size_t page_bytes = 4096;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

/// Written once by whoever makes the region, before anyone else sees it; then only the heap moves.
struct alignas(cache_line) region_header {
  std::uint64_t magic;
  std::uint64_t nonce;
  std::uint32_t version;
  std::int32_t size;
  std::uint64_t bytes;
  std::uint64_t heap_top;       // everything from here on has never been used
  std::uint64_t heap_free[48];  // by power of two: the blocks that came back, see shared_heap
};

/// The first failure of a world: every wait looks here.
struct alignas(cache_line) failure_line {
  std::uint64_t claimed;    // pid of the one that writes the rest
  std::uint64_t published;  // 1 + errc, once the rest is there
  std::int32_t rank;        // who failed
  char text[1024 - 20];
};

/// What everybody knows about a rank.
struct alignas(cache_line) status_line {
  std::uint64_t state;  // rank_state
  std::uint64_t pid;
  std::uint64_t pid_namespace;
  std::uint64_t cpus;           // cpu_share, packed
  std::uint64_t process, base;  // as others may read its memory: where the region lies there; 0 before it has come
};
enum class rank_state : std::uint64_t { running = 0, left = 1, dead = 2 };

/// Operation i of a rank: sequence i says that it has come so far, the hash what it called; a word, and what is short
/// enough, travel with it. All of that in 64 bytes: a second line of the processor would have to be waited for. Twice a
/// line of ours apart: a core that fetches its neighbour's slots ahead takes them from their writer, which costs a
/// third of a small operation's time.
struct alignas(2 * cache_line) slot_line {
  std::uint64_t sequence;
  std::uint64_t hash;
  std::uint64_t word;
  alignas(32) std::byte data[32];
};

/// The whole call behind the hash, read only when hashes differ.
struct alignas(cache_line) call_line {
  descriptor call;
};

/// Counts the phases that a rank has finished in load/store collectives, over the communicator's life.
struct alignas(cache_line) progress_line {
  std::uint64_t phases;
};

/// Where a rank sleeps, whichever of its communicators it waits for.
struct alignas(cache_line) wake_line {
  std::uint64_t asleep;  // how many of its threads
  std::uint32_t word;
};

/// One direction between two ranks: the sender counts up sent, the receiver taken.
struct alignas(cache_line) mailbox_sent {
  std::uint64_t sent;
};
struct alignas(cache_line) mailbox_taken {
  std::uint64_t taken;
};

/// Offsets of what all ranks of a region share. The same numbers on all ranks; offsets, never pointers, are shared.
struct world_layout {
  std::size_t failure, status, wake, end;

  constexpr explicit world_layout(int ranks) {
    failure = round_up(sizeof(region_header), cache_line);
    status = failure + sizeof(failure_line);
    wake = status + std::size_t(ranks) * sizeof(status_line);
    end = round_up(wake + std::size_t(ranks) * sizeof(wake_line), page_bytes);
  }
};

/// Offsets of what the members of one communicator share, from `begin` on.
struct group_layout {
  static constexpr int operations = 4;                     // slot lines a rank
  static constexpr int letters = 4;                        // messages under way between a pair
  static constexpr std::size_t letter_bytes = 256 * 1024;  // the longest message
  static constexpr std::size_t stage_bytes = 512 * 1024;   // a chunk of load/store collectives
  /// Stages begin so far behind a page's begin, as users' vectors mostly lie a few bytes behind one: see copy_bytes.
  static constexpr std::size_t stage_shift = 1024, stage_room = stage_bytes + page_bytes;
  static constexpr int boxes = 2;  // mailboxes a pair: one of the collectives, one of send

  int size;
  std::size_t begin, members, slots, calls, progress, sent, taken, control_end;
  std::size_t stages, letters_begin, end;

  constexpr group_layout(int ranks, std::size_t from) : size(ranks), begin(from) {
    const auto p = std::size_t(ranks);
    std::size_t at = begin;
    const auto take = [&at](std::size_t need) {
      const std::size_t first = at;
      at += round_up(need, alignof(slot_line));  // of all that lies here the most
      return first;
    };
    members = take(p * sizeof(std::int32_t));
    slots = take(p * operations * sizeof(slot_line));
    calls = take(p * operations * sizeof(call_line));
    progress = take(p * sizeof(progress_line));
    sent = take(boxes * p * p * sizeof(mailbox_sent));
    taken = take(boxes * p * p * sizeof(mailbox_taken));
    control_end = at = round_up(at, page_bytes);
    stages = take(p * stage_set_bytes());
    letters_begin = take(boxes * p * p * letters * letter_bytes);
    end = at;
  }
  constexpr std::size_t bytes() const { return end - begin; }
  constexpr std::size_t control_bytes() const { return control_end - begin; }
  /// Two chunks of input and two of results, one of which is read while the next is written.
  static constexpr std::size_t stage_set_bytes() { return 4 * stage_room; }
};

}  // namespace tutti::detail
