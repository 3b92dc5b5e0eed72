#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# readme_links.sh <source>: what the README's table of features calls a yes is held by a test that is there, with a case in it
# that runs.
set -euo pipefail
cd "$1"
rows=0
while IFS= read -r target; do
  rows=$((rows + 1))
  [[ -s $target ]] || { echo "README.md links to $target, which isn't there"; exit 1; }
  case $target in
    tests/conformance/cover_*.hpp)
      grep -qlF "#include \"$(basename "$target")\"" tests/conformance/*.cpp || { echo "no part of the suite runs $target"; exit 1; } ;;
    *.cpp) grep -qE 'TEST_CASE|expect:|^int main' "$target" || { echo "$target has no test case"; exit 1; } ;;
  esac
done < <(grep -oE '\[yes\]\([^)]*\)' README.md | sed -E 's/.*\((.*)\)/\1/')
((rows > 25)) || { echo "the table of features has $rows rows with a yes"; exit 1; }
