#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# four_by_four.sh <four_by_four> [mpirun]: before and after of each collective, drawn by the shell.
source "$(dirname "$0")/exercise_common.sh"
letters=(A B C D E)

name() { echo "${letters[$1]}"; }
in_list() { echo "[${letters[$1]}]"; }
cell() { echo "${letters[$1]}$2"; }                  # of row $1
of_column() { echo "${letters[$2]}$1"; }             # of column $1
row() { echo "[$(each "$1" cell "$2")]"; }           # of length $1, of rank $2
number() { echo $(($1 + $2)); }
sum() { echo $(($1 * ($1 * ($1 - 1) / 2 + $2))); }   # of column $2 of a matrix 0 1 2 ... of $1 rows and columns
average() { awk -v p="$1" -v i="$2" 'BEGIN { printf "%g", p * (p - 1) / 2 + i }'; }

expected() {
  local p=$1 r
  printf '# %s\n' "all_reduce, sum" "all_reduce, avg" "reduce, sum, to rank 0" "reduce_scatter, sum" "broadcast, from rank 0" \
    "scatter, from rank 0" "gather, to rank 0" "all_gather, into a list" "all_gather, into rows of one buffer" all_to_all
  for ((r = 0; r < p; ++r)); do
    local numbers sums before=. whole='' at_root='' gathered=''
    numbers=$(each "$p" number $((r * p))) sums=$(each "$p" sum "$p")
    ((r > 0)) || before=A whole=$(each "$p" cell 0) at_root=$sums gathered=$(each "$p" name)
    sed "s/^/[Rank $r] /" <<END
[$numbers] -> [$sums]
[$numbers] -> [$(each "$p" average "$p")]
[$numbers] -> [$at_root]
[$numbers] -> [$(sum "$p" "$r")]
[$before] -> [A]
[$whole] -> [A$r]
[$(name "$r")] -> [$gathered]
[$(name "$r")] -> [$(each "$p" in_list)]
$(row "$p" "$r") -> [$(each "$p" row "$p")]
$(row "$p" "$r") -> [$(each "$p" of_column "$r")]
END
  done
}
check_exercise

# Names go on behind the alphabet, and the picture is in the order of the ranks.
if [[ -z $mpirun ]]; then
  printed=$("$program" --ranks 28 --transport threads)
  grep -qE '^\[Rank 27\] \[AB\] -> \[\[A\] .* \[Z\] \[AA\] \[AB\]\]$' <<<"$printed" || die "28 ranks print:" "$printed"
  [[ $(grep -A 28 '^# all_to_all$' <<<"$printed" | sed -n 's/^\[Rank \(.*\)\] .* -> .*/\1/p') == "$(seq 0 27)" ]] || die "not in order:" "$printed"
fi
