#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# readme_quickstart.sh <quickstart binary> <repository>: the README shows the program as it is, and its output.
set -euo pipefail
binary=$1
cd "$2"
shown=$(sed -n '/<!-- examples\/quickstart.cpp -->/,/^```$/p' README.md | sed '1,2d;$d')
written=$(grep -v SPDX examples/quickstart.cpp)
diff <(echo "$shown") <(echo "$written") || { echo "README.md and examples/quickstart.cpp differ"; exit 1; }
(($(wc -l <examples/quickstart.cpp) <= 15)) || { echo "the quickstart is no longer quick"; exit 1; }
printed=$("$binary")
grep -qxF "    $printed" README.md || { echo "README.md doesn't show what the program prints: $printed"; exit 1; }
