#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# plan.sh <tutti_plan>: what it draws is what the algorithms' headers say, and wrong requests get an answer.
set -euo pipefail
plan=$1
expect() {  # <text> <arguments...>
  local text=$1
  shift
  "$plan" "$@" | grep -qF -- "$text" || { echo "tutti_plan $* doesn't print: $text"; exit 1; }
}
expect "ring all_reduce on 4 ranks: 6 rounds, 4 blocks, the busiest rank sends 6" ring --ranks 4
expect "  1 -> 2  block 0, input; 2 folds it before its own input" ring --ranks 4
expect "all ranks fold the same expression out of rank order" ring --ranks 4
expect "tree reduce on 5 ranks, root 2: 3 rounds, 1 block, the busiest rank sends 1" tree --ranks 5 --collective reduce --root 2
expect "in rank order" direct --ranks 3
for algorithm in ring tree aggregator direct one_phase recursive_doubling halving_doubling circulant \
                 "knomial<4>" chain double_binary_tree; do
  expect "proof: sends match receives" "$algorithm" --ranks 7
done
expect "proof: sends match receives" scatter_all_gather --ranks 7 --collective broadcast --root 3
expect "bruck all_gather on 5 ranks: 3 rounds, 5 blocks, the busiest rank sends 4" bruck --ranks 5 --collective all_gather
expect "double_binary_tree broadcast on 8 ranks, root 3: 4 rounds, 2 blocks, the busiest rank sends 2" double_binary_tree \
  --ranks 8 --collective broadcast --root 3
refuse() {  # <text> <arguments...>
  local text=$1 said
  shift
  said=$("$plan" "$@" 2>&1) && { echo "tutti_plan $* succeeds"; exit 1; }
  grep -qF -- "$text" <<<"$said" || { echo "tutti_plan $* says: $said"; exit 1; }
}
refuse "there are automatic, ring, tree" nope
refuse "circulant doesn't serve broadcast" circulant --collective broadcast
refuse "--root 4 is not below --ranks 4" tree --collective reduce --root 4
refuse "--ranks must be at least 2" ring --ranks 1
