#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# perf_mpirun.sh <tutti_perf> <mpirun>: over MPI every algorithm and native give right results, also in turns with another.
set -euo pipefail
perf=$1 mpirun=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() { printf '%s\n' "$@"; exit 1; }
[[ $("$perf" --list) == *"transports: shm, threads, mpi, hybrid"* ]] || { echo "skipped: built without MPI"; exit 77; }

# measured <how many rows> <arguments...>: exit 0 and so many rows without a wrong element.
measured() {
  local expected=$1
  shift
  output=$("$mpirun" -n 2 "$perf" --iters 3 --check "$@") || die "tutti_perf $* fails" "$output"
  grep -v '^#' <<<"$output" | awk '$9 != ($4 == "none" && $3 == "none" ? "-" : "0") { print; bad = 1 } END { exit bad || NR != '"$expected"' }' ||
    die "tutti_perf $*: $expected right rows expected" "$output"
}
measured 13 --transport mpi --algorithm all -b 40000 -e 40000
measured 11 --transport mpi --algorithm native --collective all -b 4002 -e 4002
measured 1 --transport mpi --algorithm native --op max -b 4K -e 4K
measured 1 --transport mpi --algorithm native --type i32 -b 4K -e 4K
measured 1 --transport mpi --call plan --versus mpi:native -b 4K -e 4K
grep -qE ' mpi:native +[0-9.]+ +[0-9.]+$' <<<"$output" || die "no ratio" "$output"
measured 12 --transport hybrid --collective all -b 4002 -e 4002
measured 11 --transport hybrid --collective all --algorithm native -b 4002 -e 4002
for pair in "mpi shm:direct" "shm mpi:native" "hybrid shm:automatic" "hybrid mpi:native"; do
  read -r transport other <<<"$pair"
  measured 2 --transport "$transport" --versus "$other" -b 1K -e 64K -f 64
  grep -qE " $other +[0-9.]+ +[0-9.]+\$" <<<"$output" || die "no ratio" "$output"
done
# Started without a launcher MPI is a world of one.
"$perf" --transport mpi -b 8 -e 8 --iters 1 >/dev/null || die "one rank"
! "$perf" --transport mpi --ranks 2 -e 8 2>"$folder/said" >/dev/null || die "two ranks of one"
grep -q -- "--ranks 2, but MPI has started 1" "$folder/said" || die "it says" "$(<"$folder/said")"
