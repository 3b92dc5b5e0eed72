#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mnist_mpi.sh <mnist_cpu> <mpirun>: over MPI and hybrid the training is the very same as over shared memory, parameters checked on all
# ranks after each epoch.
source "$(dirname "$0")/mnist_common.sh"
program=$1 mpirun=$2

for way in "ring mpi" "automatic mpi" "automatic hybrid"; do
  read -r algorithm transport <<<"$way"
  shm=$("$program" "${small[@]}" --algorithm "$algorithm" --ranks 4)
  mpi=$("$mpirun" -n 4 "$program" "${small[@]}" --algorithm "$algorithm" --transport "$transport") || die "$way: status $?"
  printf '%s\n' "$algorithm over shm:" "$shm" "over $transport:" "$mpi"
  [[ -n $(curve "$shm") ]] || die "no epoch line"
  [[ $(curve "$shm") == "$(curve "$mpi")" ]] || die "the curves differ (or more than one rank printed)"
  [[ $(tail -n 1 <<<"$shm") == "$(tail -n 1 <<<"$mpi")" ]] || die "the last lines differ"
  (($(grep -c 'parameters identical on 4 ranks' <<<"$mpi") == 2)) || die "the parameters weren't checked"
done

# One rank fails alone: its reason is said, and the others don't wait for it.
start=$SECONDS status=0
said=$("$mpirun" -n 2 "$program" "${small[@]}" --transport mpi --plot /nowhere/curve.svg 2>&1) || status=$?
((status != 0)) || die "a plot that can't be written: success"
grep -q '/nowhere/curve.svg' <<<"$said" || die "the message doesn't name the plot:" "$said"
((SECONDS - start < 20)) || die "it took $((SECONDS - start)) s"

status=0
said=$("$program" "${small[@]}" --ranks 3 --transport mpi 2>&1) || status=$?
[[ $status == 1 && $said == *"start it with mpirun -n 3"* ]] || die "three ranks without a launcher: status $status" "$said"
