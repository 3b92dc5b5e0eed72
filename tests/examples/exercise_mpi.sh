#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# exercise_mpi.sh <exercise> <mpirun>: over MPI and hybrid an exercise prints what it prints over shared memory, line for line once sorted,
# but for the transport's name and for times. What those lines must be is NAME.sh's to say.
set -euo pipefail
export LC_ALL=C
program=$1 mpirun=$2 name=${1##*/}
die() { printf '%s\n' "$@"; exit 1; }
mask() { sed -E '/ initialised: (shm|mpi|hybrid) on CPU, /d; s/: [0-9.e+-]+ ms, [0-9.e+-]+ GB\/s$/: TIME/' | sort; }

# Rank r plays to be on host number r / $1.
on_hosts='export TUTTI_HOST=$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} / $1)); shift; exec "$@"'
for ranks in 4 3; do
  shm=$("$program" --ranks $ranks)
  [[ -n $shm ]] || die "nothing printed"
  for way in "mpi 9" "hybrid 9" "hybrid 2"; do
    read -r transport each <<<"$way"
    mpi=$("$mpirun" -n $ranks bash -c "$on_hosts" on_hosts "$each" "$program" --transport "$transport") || die "$way, $ranks ranks: status $?"
    diff <(mask <<<"$shm") <(mask <<<"$mpi") || die "shm (<) and $way (>) differ on $ranks ranks"
    [[ $(grep -c ' initialised: shm' <<<"$shm") == "$(grep -c " initialised: $transport" <<<"$mpi")" ]] || die "which transport is it?" "$mpi"
  done
done

# Without a launcher MPI is a world of one.
diff <("$program" --ranks 1 | mask) <("$program" --ranks 1 --transport mpi | mask) || die "shm (<) and mpi (>) differ on one rank"
status=0
said=$("$program" --ranks 3 --transport mpi 2>&1) || status=$?
[[ $status == 1 && $said == "$name: --ranks 3 --transport mpi: MPI has 1 rank; start it with mpirun -n 3" ]] ||
  die "three ranks without a launcher: status $status" "$said"
