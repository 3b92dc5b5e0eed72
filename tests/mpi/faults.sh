#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# faults.sh <faults_program> <mpirun> <way> [<hosts>]: every rank gets an error that says what was wrong, nobody hangs.
set -euo pipefail
program=$1 mpirun=$2 way=$3 hosts=${4:-}
die() { printf '%s\n' "$@"; exit 1; }
case $way${hosts:+ on hosts} in
  "silent on hosts") ranks=4 lines=4 text="no progress for 4.0 s in operation [0-9]+; not there: 2$" ;;
  "count on hosts") ranks=4 lines=4 text="all_reduce on rank [0-3]: count is (1000 here and 1001 on rank 2|1001 here and 1000 on rank [013])" ;;
  "op on hosts") ranks=4 lines=4 text="all_reduce on rank [0-3]: op is (sum here and max on rank 2|max here and sum on rank [013])" ;;
  "throws on hosts") ranks=4 lines=4 text="the operator gave up" ;;
  early) ranks=1 lines=1 text="mpi::world: MPI is not initialised" ;;
  after) ranks=1 lines=1 text="mpi::world: MPI is finalised already" ;;
  single) ranks=2 lines=2 text="MPI was initialised with MPI_THREAD_SINGLE, at least MPI_THREAD_SERIALIZED is needed" ;;
  count) ranks=4 lines=4 text="count is (1000 here and 1001 on rank 2|1001 here and 1000 on rank [013])" ;;
  op) ranks=4 lines=4 text="op is (sum here and max on rank 2|max here and sum on rank [013])" ;;
  root | "root on hosts") ranks=4 lines=4 text="root is (0 here and 1 on rank 2|1 here and 0 on rank [013])" ;;
  collective | "collective on hosts") ranks=4 lines=4 text="the collective is (all_reduce here and barrier on rank 2|barrier here and all_reduce on rank [013])" ;;
  silent) ranks=4 lines=4 text="no progress for 4.0 s in operation 1; not there: 2" ;;
  late | "late on hosts") ranks=4 lines=3 text="monitored_barrier on rank [013] of 4: not there within 1.0 s: rank 2" ;;
  throws) ranks=4 lines=4 text="the operator gave up" ;;
  *) die "what is $way?" ;;
esac
said=$(timeout 60 "$mpirun" -n $ranks "$program" "$way" ${hosts:+"$hosts"} 2>&1) || true  # MPI may call the end of a failed job an error
count=$(grep -cE "$text" <<<"$said") || true
((count >= lines)) || die "$count lines, expected $lines with: $text" "$said"
