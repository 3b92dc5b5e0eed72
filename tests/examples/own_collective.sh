#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# own_collective.sh <own_collective> [mpirun]: all three ways and all algorithms add up to the same.
source "$(dirname "$0")/exercise_common.sh"

tensor() { echo "[$(repeat 5 "$1")]"; }

expected() {
  local p=$1 r
  local sum all
  sum=$(tensor $((p * (p - 1) / 2)))
  all=$(each "$p" tensor)
  printf '# %s\n' "all-to-all, blocking" "all-to-all, non-blocking" "aggregator" "by the library"
  for ((r = 0; r < p; ++r)); do
    for _ in blocking non-blocking; do printf '%s\n' "rank $r has tensors [$all]" "[Rank $r] After reduce, tensor is: $sum"; done
    for algorithm in one_phase direct aggregator "taking_turns, my own"; do echo "[Rank $r] $algorithm: $sum"; done
    ((r == 0)) || echo "Rank $r received reduced tensor: $sum"
  done
  others=${all#"[0 0 0 0 0]"}
  printf '%s\n' "Rank 0 received tensors: [${others# }]" "Rank 0 sent reduced tensor: $sum"
}
check_exercise
