#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# arrows.sh <include/tutti>: includes point down the floors of the house only.
#   collective -> algorithm -> engine -> {transport, schedule, op} -> core
#   collective -> object -> core
# The three in braces never include each other.
set -euo pipefail
cd "$1"
declare -A below=(
  [core]="core"
  [op]="op core"
  [object]="object core"
  [schedule]="schedule core"
  [transport]="transport core"
  [engine]="engine transport schedule op core"
  [algorithm]="algorithm engine transport schedule op core"
  [collective]="collective algorithm engine transport schedule op object core"
)
wrong=0
for floor in */; do
  floor=${floor%/}
  [[ -n ${below[$floor]:-} ]] || { echo "the floor $floor isn't in this list"; wrong=1; continue; }
  while IFS=: read -r file target; do
    [[ " ${below[$floor]} " == *" $target "* ]] || { echo "$file includes something of $target/"; wrong=1; }
  done < <(grep -rHoE '#include <tutti/[a-z_]+(/|\.hpp)' "$floor" | sed -E 's|#include <tutti/||; s|/$||')
done
exit $wrong
