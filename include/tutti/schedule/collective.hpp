// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

namespace tutti::collective {

/// What a collective starts from and owes at the end. The tags name a collective wherever one is meant:
/// in schedules, in proofs, in `supports`, in error texts.
///   rooted      root means something
///   reduces     every rank contributes a value that an operator folds
///   per_rank    block b of the schedule is the shard of rank b; in all_to_all it is what goes to rank + b,
///               and what comes from rank - b
///   prefix      rank r gets the fold of the ranks up to it, not of all
struct all_reduce {
  static constexpr const char* name = "all_reduce";
  static constexpr bool rooted = false, reduces = true, per_rank = false, prefix = false;
};
struct reduce {
  static constexpr const char* name = "reduce";
  static constexpr bool rooted = true, reduces = true, per_rank = false, prefix = false;
};
struct broadcast {
  static constexpr const char* name = "broadcast";
  static constexpr bool rooted = true, reduces = false, per_rank = false, prefix = false;
};
struct reduce_scatter {
  static constexpr const char* name = "reduce_scatter";
  static constexpr bool rooted = false, reduces = true, per_rank = true, prefix = false;
};
struct all_gather {
  static constexpr const char* name = "all_gather";
  static constexpr bool rooted = false, reduces = false, per_rank = true, prefix = false;
};
struct gather {
  static constexpr const char* name = "gather";
  static constexpr bool rooted = true, reduces = false, per_rank = true, prefix = false;
};
struct scatter {
  static constexpr const char* name = "scatter";
  static constexpr bool rooted = true, reduces = false, per_rank = true, prefix = false;
};
struct all_to_all {
  static constexpr const char* name = "all_to_all";
  static constexpr bool rooted = false, reduces = false, per_rank = true, prefix = false;
};
struct scan {
  static constexpr const char* name = "scan";
  static constexpr bool rooted = false, reduces = true, per_rank = false, prefix = true;
};
struct exclusive_scan {
  static constexpr const char* name = "exclusive_scan";
  static constexpr bool rooted = false, reduces = true, per_rank = false, prefix = true;
};
struct barrier {
  static constexpr const char* name = "barrier";
  static constexpr bool rooted = false, reduces = false, per_rank = false, prefix = false;
};

// With a count for each rank. What serves the even form serves these too, unless it deletes the overload.
struct reduce_scatter_v : reduce_scatter {
  static constexpr const char* name = "reduce_scatter_v";
};
struct all_gather_v : all_gather {
  static constexpr const char* name = "all_gather_v";
};
struct gather_v : gather {
  static constexpr const char* name = "gather_v";
};
struct scatter_v : scatter {
  static constexpr const char* name = "scatter_v";
};
struct all_to_all_v : all_to_all {
  static constexpr const char* name = "all_to_all_v";
};

/// Calls each(tag) for every collective that schedules are written for.
template <class Each>
constexpr void for_each(Each&& each) {
  each(all_reduce{});
  each(reduce{});
  each(broadcast{});
  each(reduce_scatter{});
  each(all_gather{});
  each(gather{});
  each(scatter{});
  each(all_to_all{});
  each(scan{});
  each(exclusive_scan{});
}

template <class Tag>
concept tag = requires {
  { Tag::name } -> std::convertible_to<const char*>;
  { Tag::rooted } -> std::convertible_to<bool>;
  { Tag::reduces } -> std::convertible_to<bool>;
  { Tag::per_rank } -> std::convertible_to<bool>;
  { Tag::prefix } -> std::convertible_to<bool>;
};

}  // namespace tutti::collective
