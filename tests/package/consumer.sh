#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# consumer.sh <cmake> <consumer's source> <build folder> <generator> <compiler> builds|configures|refuses <text> [-D...]
#   builds      configures, builds, and the program prints the text and nothing else
#   configures  configures; the text is not looked at
#   refuses     doesn't configure, and CMake's message holds the text
set -eu
cmake=$1 source=$2 build=$3 generator=$4 compiler=$5 outcome=$6 text=$7
shift 7

rm -rf "$build"
status=0
output=$("$cmake" -S "$source" -B "$build" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" "$@" 2>&1) || status=$?
joined=$(tr -s '[:space:]' ' ' <<<"$output")  # CMake breaks its messages into lines

case $outcome in
  refuses)
    ((status)) || { echo "$output"; echo "it must not configure"; exit 1; }
    [[ $joined == *"$text"* ]] || { echo "$output"; echo "the message lacks: $text"; exit 1; }
    echo "refused: $text"
    exit
    ;;
  builds | configures) ((status == 0)) || { echo "$output"; exit 1; } ;;
  *) echo "no such outcome: $outcome"; exit 1 ;;
esac
[[ $outcome == builds ]] || exit 0

"$cmake" --build "$build"
output=$("$build/consumer")
echo "$output"
[[ $output == "$text" ]] || { echo "the consumer must print '$text'"; exit 1; }
