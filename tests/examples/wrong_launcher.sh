#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wrong_launcher.sh <program> <launcher of another MPI>: four worlds of one would look like success; it must be an error that
# names both sides.
set -euo pipefail
program=$1 launcher=$2
die() { printf '%s\n' "$@"; exit 1; }
status=0
said=$("$launcher" -n 4 "$program" --transport mpi 2>&1) || status=$?
((status)) || die "it ran:" "$said"
[[ $said == *"the launcher (Open MPI) has started 4 processes, but MPI ("*") is in a world of 1"* ]] || die "status $status:" "$said"
