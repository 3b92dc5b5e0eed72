#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# collectives_tour.sh <collectives_tour> [mpirun]: what each collective must give, computed by the shell.
source "$(dirname "$0")/exercise_common.sh"

from() { echo "$1 $(($1 + 1)) $(($1 + 2))"; }                  # what rank r starts with
row() { echo "[$(from "$1")]"; }
count() { seq -s ' ' 0 $(($1 - 1)); }
object() { echo "{$1 $2 [$(count "$2")]}"; }
sent() { echo "[$(($2 * 10 + $1))]"; }                           # to rank $1 from rank $2

expected() {
  local p=$1 r ranks=ranks
  ((p > 1)) || ranks=rank
  local pairs=$((p * (p - 1) / 2))
  local whole rows objects
  whole=$(each "$p" from) rows=$(each "$p" row) objects=$(each "$p" object from)
  for ((r = 0; r < p; ++r)); do
    local maximum gathered='' gathered_objects=''
    maximum=$(from "$r")
    ((r > 0)) || maximum=$(from $((p - 1))) gathered=$whole gathered_objects=$objects
    local scattered=$((pairs + p * r))
    sed "s/^/[Rank $r] /" <<END
initialised: $2 on CPU, $p $ranks
broadcast: [1 2 3]
broadcast_object: {hello [1 2 3]}
all_reduce sum: [$p $((2 * p)) $((3 * p))]
reduce max to rank 0: [$maximum]
all_gather, list: [$rows]
all_gather, one buffer: [$whole]
all_gather_object: [$objects]
gather to rank 0: [$gathered]
gather_object to rank 0: [$gathered_objects]
scatter: [$(from "$r")]
scatter_object: $(object for "$r")
reduce_scatter, list: [$(repeat 3 $scattered)]
reduce_scatter, one buffer: [$(repeat 3 $scattered)]
all_to_all_single: [$(repeat "$p" "$(from $((3 * r)))")]
all_to_all, list: [$(each "$p" sent "$r")]
barrier: all are here
asynchronous all_reduce: [$pairs $((pairs + p)) $((pairs + 2 * p))]
group destroyed
END
  done
}
check_exercise
