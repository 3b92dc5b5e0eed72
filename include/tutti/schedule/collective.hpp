// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

namespace tutti::collective {

/// What a collective starts from and owes at the end. The tags name a collective wherever one is meant:
/// in schedules, in proofs, in `supports`, in error texts.
///   rooted      root means something
///   reduces     every rank contributes a value that an operator folds
///   per_rank    block b of the schedule is the shard of rank b
struct all_reduce {
  static constexpr const char* name = "all_reduce";
  static constexpr bool rooted = false, reduces = true, per_rank = false;
};
struct reduce {
  static constexpr const char* name = "reduce";
  static constexpr bool rooted = true, reduces = true, per_rank = false;
};
struct broadcast {
  static constexpr const char* name = "broadcast";
  static constexpr bool rooted = true, reduces = false, per_rank = false;
};
struct reduce_scatter {
  static constexpr const char* name = "reduce_scatter";
  static constexpr bool rooted = false, reduces = true, per_rank = true;
};
struct all_gather {
  static constexpr const char* name = "all_gather";
  static constexpr bool rooted = false, reduces = false, per_rank = true;
};
struct barrier {
  static constexpr const char* name = "barrier";
  static constexpr bool rooted = false, reduces = false, per_rank = false;
};

template <class Tag>
concept tag = requires {
  { Tag::name } -> std::convertible_to<const char*>;
  { Tag::rooted } -> std::convertible_to<bool>;
  { Tag::reduces } -> std::convertible_to<bool>;
  { Tag::per_rank } -> std::convertible_to<bool>;
};

}  // namespace tutti::collective
