#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mnist_ranks.sh <mnist_cpu> <transport>: the same global batch gives the same loss on 1 to 4 ranks and with every algorithm.
source "$(dirname "$0")/mnist_common.sh"
program=$1 transport=$2

reference=
for ranks in 1 2 3 4; do
  output=$("$program" "${small[@]}" --transport "$transport" --ranks $ranks)
  printf '%s\n' "$output"
  [[ $(tail -n 1 <<<"$output") =~ ^test\ accuracy\ [01]\.[0-9]+\ after\ 2\ epochs\ on\ $ranks\ ranks$ ]] ||
    die "$ranks ranks: unexpected last line"
  loss=$(last_loss "$output")
  close "$loss" "${reference:=$loss}" || die "$ranks ranks: loss $loss, 1 rank: $reference"
done

for algorithm in ring tree aggregator direct one_phase; do
  output=$("$program" "${small[@]}" --transport "$transport" --ranks 3 --algorithm $algorithm)
  loss=$(last_loss "$output")
  echo "$algorithm: loss $loss"
  close "$loss" "$reference" || die "$algorithm: loss $loss, 1 rank: $reference"
done
