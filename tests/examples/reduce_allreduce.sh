#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# reduce_allreduce.sh <reduce_allreduce> [mpirun]: each stage's values, computed by the shell; times are whatever they are.
source "$(dirname "$0")/exercise_common.sh"

mask() { sed -E 's/: [0-9.e+-]+ ms, [0-9.e+-]+ GB\/s$/: TIME/'; }

ring_sum() { echo $(($1 * ($1 + 1) / 2 + 10 * $1 * $2)); }       # of element $2 on $1 ranks
triangle() { echo $(($1 * ($1 + 1) / 2)); }

# Three steps of gradient descent over all points at once.
descend() {
  awk -v p="$1" 'BEGIN {
    for (step = 1; step <= 3; ++step) {
      g = h = 0
      for (r = 1; r <= p; ++r) { x = r / p; e = a * x + b - (3 * x + 1); g += 2 * e * x / p; h += 2 * e / p }
      a -= 0.2 * g; b -= 0.2 * h
      printf "step %d: y = %g x + %g\n", step, a, b
    }
  }'
}

expected() {
  local p=$1 r count sum product=1 strongest=$1 descent
  sum=$(triangle "$p") descent=$(descend "$p")
  for ((r = 1; r <= p; ++r)); do product=$((product * r)); done
  ((p % 2 == 1)) || strongest=-$p
  printf '# %s\n' "reduce to rank 0" all_reduce "ring, on any number of elements" "hierarchical, two groups" bandwidth \
    "gradient averaging" non-blocking "other operators"
  printf '[Rank 0] 1000000 floats, %s: TIME\n' whole "in buckets of 100000"

  local half=$(((p + 1) / 2))  # the ranks of group 0
  ((p > 1)) || half=1
  for ((r = 0; r < p; ++r)); do
    local mine=$((r + 1)) reduced=$((r + 1)) group=0 of_group
    ((r > 0)) || reduced=$sum
    of_group=$(triangle $half)
    ((r < half)) || group=1 of_group=$((sum - of_group))
    {
      echo "$mine -> [$reduced]"
      echo "$mine -> [$sum]"
      for count in 1 3 7; do
        local ring
        ring=$(each $count ring_sum "$p")
        echo "$count by hand: [$ring], by the library: [$ring]"
      done
      echo "group $group, starts with [$mine]"
      if ((r == 0 || r == half)); then
        printf 'leader, sum of the group%s\n' ": [$of_group]" "s: [$sum]"
      else
        echo "waits for its leader with [$mine]"
      fi
      echo "after broadcast: [$sum]"
      echo "$descent"
      echo "meanwhile 1 + ... + 1000 = 500500, then [$(repeat 5 "$sum")]"
      echo "max [$p], product [$product], my own, the largest magnitude [$strongest]"
    } | sed "s/^/[Rank $r] /"
  done
}
check_exercise
