#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# custom_op.sh <custom_op> [mpirun]: results and expectations are those of awk; the compiler's line is the one it prints.
source "$(dirname "$0")/exercise_common.sh"
values=(3 10 6 2 9)

expected() {
  local p=$1 r
  printf '# %s\n' "argmax over {float, int}" "Welford's mean and variance" log-sum-exp "a lambda that captures a value" \
    "a lambda that ring may take"
  local lines
  lines=$(printf '%s\n' "${values[@]:0:p}" | awk '
    function twice(text) { print text ", expected " text }
    NR == 1 || $1 > largest { largest = $1; where = NR - 1 }
    { sum += $1; squares += $1 * $1; exponentials += exp($1) }
    END {
      twice(largest " of rank " where)
      twice(sprintf("%g and %g", sum / NR, squares / NR - (sum / NR) ^ 2))
      twice(sprintf("%g", 1000 + log(exponentials)))
      twice(sum < 20 ? sum : 20)
      twice(largest)
    }')
  for ((r = 0; r < p; ++r)); do sed "s/^/[Rank $r] /" <<<"$lines"; done
}
check_exercise

tests=$(dirname "$0")/..
shown=$(sed -n 's|^//  *||p' "$tests/../examples/exercises/custom_op.cpp" | tr '\n' ' ')
printed=$(sed -n 's|^// expect: ||p' "$tests/must_not_build/ring_with_plain_lambda.cpp")
[[ -n $printed && $shown == *"$printed"* ]] || die "the comment in custom_op.cpp isn't what the compiler prints: $printed"
