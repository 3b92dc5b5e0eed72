#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mnist_killed_rank.sh <mnist_cpu>: a rank that dies in training ends the program within 2 s, with a message that names it,
# and leaves neither a process nor a file behind.
source "$(dirname "$0")/mnist_common.sh"
program=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Open MPI's own files come and go with other tests.
files() { find /dev/shm -mindepth 1 ! -name 'vader*' 2>/dev/null | sort; }
before=$(files)

"$program" --data synthetic --epochs 1000000 --ranks 4 >"$log" 2>&1 &
parent=$!
for _ in {1..100}; do
  if grep -q '^epoch 1 ' "$log"; then break; fi
  sleep 0.1
done
grep -q '^epoch 1 ' "$log" || { kill "$parent"; die "no epoch within 10 s"; }

mapfile -t ranks < <(tr ' ' '\n' <"/proc/$parent/task/$parent/children" | grep .)
((${#ranks[@]} == 4)) || { kill "$parent"; die "expected 4 processes, found ${#ranks[@]}"; }
kill -9 "${ranks[2]}"
start=${EPOCHREALTIME/./}
status=0
wait "$parent" || status=$?
took=$((${EPOCHREALTIME/./} - start))
tail -n 3 "$log"
echo "status $status after $((took / 1000)) ms"

((status != 0)) || die "the program must fail"
((took < 2000000)) || die "it took more than 2 s"
grep -q 'rank 2' "$log" || die "the message doesn't name rank 2"
for rank in "${ranks[@]}"; do
  if kill -0 "$rank" 2>/dev/null; then die "process $rank is still there"; fi
done
left=$(comm -13 <(echo "$before") <(files))
[[ -z $left ]] || die "left in /dev/shm:" "$left"
