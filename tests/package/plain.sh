#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# plain.sh <compiler> <include folder, or pkg-config> <program> <output>
# One line and no CMake: by -I, or with the flags that pkg-config gives.
set -eu
compiler=$1 include=$2 program=$3 output=$4

if [[ -d $include ]]; then
  flags=(-I "$include" -pthread)
else
  text=$("$include" --cflags --libs tutti)
  eval "flags=($text)"  # written for a shell: it quotes blanks in folders
fi
"$compiler" -std=c++20 "$program" "${flags[@]}" -o "$output"
text=$("$output")
echo "$text"
[[ $text == "sum 3" ]] || { echo "the program must print 'sum 3'"; exit 1; }
