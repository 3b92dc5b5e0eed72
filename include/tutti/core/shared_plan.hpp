// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tutti {

// How an algorithm runs where every rank can read its peers' memory: chunk by chunk each rank copies
// something in where all can see it, someone folds it in rank order, and someone reads the result.

/// What a rank copies in. `all` is the vector, cut into blocks only where ranks own some; the last two are blocks that
/// belong to different ranks.
enum class stages { all, own_block, at_root, all_blocks, blocks_at_root };
/// Who folds what, always in rank order.
enum class folds { nothing, everything, own_block, at_root, ranks_below };
/// Who reads what others made visible: the folded blocks, or the staged ones where nothing is folded. own_block: of
/// everyone who stages several, the block for this rank.
enum class reads { nothing, everywhere, at_root, own_block };

struct shared_plan {
  stages stage;
  folds fold;
  reads read;
};

}  // namespace tutti
