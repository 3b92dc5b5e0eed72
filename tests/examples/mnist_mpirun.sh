#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# mnist_mpirun.sh <mnist_cpu> <mpirun>: the same binary learns its rank from the launcher, not from MPI, and prints the very same
# curve as alone.
source "$(dirname "$0")/mnist_common.sh"
program=$1 mpirun=$2

# It may link MPI, for --transport mpi, but has no business with it otherwise: Open MPI can't be initialised with this.
no_mpi=(env OMPI_MCA_pml=none)

alone=$("$program" "${small[@]}" --algorithm ring --ranks 4)
launched=$("$mpirun" -n 4 "${no_mpi[@]}" "$program" "${small[@]}" --algorithm ring)
printf '%s\n' "alone:" "$alone" "under the launcher:" "$launched"

[[ -n $(curve "$alone") ]] || die "no epoch line"
[[ $(curve "$alone") == "$(curve "$launched")" ]] || die "the curves differ (or more than one rank printed)"
[[ $(tail -n 1 <<<"$alone") == "$(tail -n 1 <<<"$launched")" ]] || die "the last lines differ"
