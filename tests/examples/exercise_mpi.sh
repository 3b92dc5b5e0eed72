#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# exercise_mpi.sh <exercise> <mpirun>: over MPI an exercise prints what it prints over shared memory, line for line once sorted,
# but for the transport's name and for times. What those lines must be is NAME.sh's to say.
set -euo pipefail
export LC_ALL=C
program=$1 mpirun=$2 name=${1##*/}
die() { printf '%s\n' "$@"; exit 1; }
mask() { sed -E '/ initialised: (shm|mpi) on CPU, /d; s/: [0-9.e+-]+ ms, [0-9.e+-]+ GB\/s$/: TIME/' | sort; }

for ranks in 4 3; do
  shm=$("$program" --ranks $ranks)
  mpi=$("$mpirun" -n $ranks "$program" --transport mpi) || die "on $ranks ranks: status $?"
  [[ -n $shm ]] || die "nothing printed"
  diff <(mask <<<"$shm") <(mask <<<"$mpi") || die "shm (<) and mpi (>) differ on $ranks ranks"
  [[ $(grep -c ' initialised: shm' <<<"$shm") == "$(grep -c ' initialised: mpi' <<<"$mpi")" ]] || die "which transport is it?" "$mpi"
done

# Without a launcher MPI is a world of one.
diff <("$program" --ranks 1 | mask) <("$program" --ranks 1 --transport mpi | mask) || die "shm (<) and mpi (>) differ on one rank"
status=0
said=$("$program" --ranks 3 --transport mpi 2>&1) || status=$?
[[ $status == 1 && $said == "$name: --ranks 3 --transport mpi: MPI has 1 rank; start it with mpirun -n 3" ]] ||
  die "three ranks without a launcher: status $status" "$said"
